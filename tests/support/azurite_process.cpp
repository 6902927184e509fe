// Starts the server, reads its port from what it prints, and ends it.
#include "support/azurite_process.hpp"

#include <array>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.hpp"

namespace azlock::test {
namespace {

constexpr auto kPatience = std::chrono::seconds(60);

// Does everything that allocates memory before the fork, because the parent may have threads.
struct Command {
    std::vector<std::string> arguments;
    std::vector<char*> argv;

    explicit Command(std::vector<std::string> words) : arguments(std::move(words)) {
        for (std::string& word : arguments) argv.push_back(word.data());
        argv.push_back(nullptr);
    }
};

[[noreturn]] void become(Command& command, const char* directory, int output, pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent || chdir(directory) != 0) _exit(127);
    const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (dup2(nothing, 0) < 0 || dup2(output, 1) < 0 || dup2(output, 2) < 0) _exit(127);
    execvp(command.argv[0], command.argv.data());
    _exit(127);
}

// "Azurite Blob service successfully listens on http://127.0.0.1:40123"
std::optional<std::uint16_t> listening_port(std::string_view printed) {
    constexpr std::string_view kWords = "successfully listens on http://127.0.0.1:";
    const auto at = printed.find(kWords);
    if (at == std::string_view::npos) return std::nullopt;
    const std::string_view rest = printed.substr(at + kWords.size());
    const auto end = rest.find('\n');
    if (end == std::string_view::npos) return std::nullopt;
    const auto port = parse_u64(trim(rest.substr(0, end)));
    if (!port || *port == 0 || *port > 65535) return std::nullopt;
    return static_cast<std::uint16_t>(*port);
}

}  // namespace

std::string azurite_modules() {
    const char* own = std::getenv("AZLOCK_AZURITE_MODULES");
    return own != nullptr && *own != '\0' ? own : AZLOCK_TESTS_DIR "/azurite/node_modules";
}

AzuriteProcess::AzuriteProcess() {
    start();
    try {
        wait_until_listening();
    } catch (...) {
        stop();
        throw;
    }
}

AzuriteProcess::~AzuriteProcess() {
    stop();
}

void AzuriteProcess::start() {
    const std::string server = azurite_modules() + "/azurite/dist/src/blob/main.js";
    if (access(server.c_str(), R_OK) != 0) {
        throw std::runtime_error("Azurite is not installed (no " + server + "): run `npm ci` in tests/azurite");
    }
    // nogc.js finds Azurite in the node_modules of its own folder, or along NODE_PATH.
    Command command({"env", "NODE_PATH=" + azurite_modules(), "node", "-r", AZLOCK_TESTS_DIR "/azurite/nogc.js", server,
                     "--silent", "--inMemoryPersistence", "--disableTelemetry", "--skipApiVersionCheck", "--blobPort",
                     "0"});
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("pipe2 failed");
    const pid_t parent = getpid();
    pid_ = fork();
    if (pid_ == 0) become(command, directory_.path().c_str(), ends[1], parent);
    close(ends[1]);
    output_ = ends[0];
    if (pid_ < 0) throw std::runtime_error("fork failed");
}

void AzuriteProcess::wait_until_listening() {
    const auto until = std::chrono::steady_clock::now() + kPatience;
    std::string printed;
    while (true) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
        pollfd waiting{output_, POLLIN, 0};
        if (left.count() <= 0 || poll(&waiting, 1, static_cast<int>(left.count())) <= 0) break;
        std::array<char, 4096> piece{};
        const ssize_t n = read(output_, piece.data(), piece.size());
        if (n <= 0) break;
        printed.append(piece.data(), static_cast<std::size_t>(n));
        if (const auto port = listening_port(printed)) {
            port_ = *port;
            return;
        }
    }
    throw std::runtime_error("Azurite did not start. It printed:\n" + printed);
}

void AzuriteProcess::stop() {
    if (pid_ > 0) {
        // The server has no data that a gentle end would save.
        kill(pid_, SIGKILL);
        while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
        }
    }
    if (output_ >= 0) close(output_);
    pid_ = -1;
    output_ = -1;
}

}  // namespace azlock::test
