// Runs whole command lines in this process, over the fake service: what goes to standard output and standard error, and
// the exit code.
#pragma once

#include <csignal>
#include <cstdio>
#include <iostream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/app.hpp"
#include "support/catch.hpp"
#include "support/seeded_random.hpp"
#include "unit/environment.hpp"
#include "unit/rig.hpp"

namespace azlock::test {

// The token that the service of a CommandRig accepts.
inline constexpr const char* kRigToken = "ey.rig.token";

// What a command line came to.
struct Ran {
    int code = -1;
    std::string out;
    std::string err;

    [[nodiscard]] nlohmann::ordered_json json() const { return nlohmann::ordered_json::parse(out); }
    // The error that --json printed on standard error: its last line.
    [[nodiscard]] nlohmann::ordered_json error() const {
        const std::string text = err.substr(0, err.find_last_not_of('\n') + 1);
        return nlohmann::ordered_json::parse(text.substr(text.rfind('\n') + 1));
    }
};

// Puts a file in memory in the place of a standard stream, until it is destroyed.
class ReplacedStream {
  public:
    ReplacedStream(int stream, const std::string& content) : stream_(stream), kept_(::dup(stream)) {
        file_ = ::memfd_create("stream", 0);
        if (file_ < 0 || kept_ < 0) throw std::runtime_error("memfd_create");
        if (::write(file_, content.data(), content.size()) != static_cast<ssize_t>(content.size())) {
            throw std::runtime_error("write");
        }
        ::lseek(file_, 0, SEEK_SET);
        ::dup2(file_, stream_);
    }
    ~ReplacedStream() {
        ::dup2(kept_, stream_);
        ::close(kept_);
        ::close(file_);
    }
    ReplacedStream(const ReplacedStream&) = delete;
    ReplacedStream& operator=(const ReplacedStream&) = delete;

    [[nodiscard]] std::string content() const {
        std::string out(static_cast<std::size_t>(::lseek(file_, 0, SEEK_END)), '\0');
        if (::pread(file_, out.data(), out.size(), 0) != static_cast<ssize_t>(out.size())) return {};
        return out;
    }

  private:
    int stream_;
    int kept_;
    int file_ = -1;
};

// One machine with azlock, a container "box", and the account in the environment. Time is the fake clock's; commands
// that run a command need the real one, because their guard lives in real time.
class CommandRig {
  public:
    enum class Time { fake, real };
    explicit CommandRig(Time time = Time::fake)
        : clock_(time == Time::fake ? static_cast<Clock&>(fake_clock) : real_clock_), service(clock_, options()) {
        service.make_container("box");
        serve_at("http://127.0.0.1:10000");
    }

    // Where commands believe the service to be.
    void serve_at(const std::string& origin) {
        environment.set("AZURE_STORAGE_CONNECTION_STRING", std::string("AccountName=") + kRigAccount +
                                                               ";AccountKey=" + kFakeKey + ";BlobEndpoint=" + origin +
                                                               "/" + kRigAccount);
        environment.set("HOME", dir.path());
    }

    Ran run(std::vector<std::string> arguments, const std::string& input = {}) {
        // A guard is a fork of this process: what is buffered here would be written by both.
        std::cout.flush();
        std::fflush(nullptr);
        Ran ran;
        const ReplacedStream in(STDIN_FILENO, input);
        const ReplacedStream out(STDOUT_FILENO, {});
        if (stdout_fd) ::dup2(*stdout_fd, STDOUT_FILENO);
        const ReplacedStream err(STDERR_FILENO, {});
        const cli::Surroundings surroundings{
            clock_, random_,
            [this](const http::TransportOptions&) {
                return Result<std::unique_ptr<http::Transport>>(std::make_unique<Borrowed>(faulty));
            },
            ask};
        struct sigaction pipe {};  // azlock ignores both for the rest of the process
        struct sigaction file_size {};
        ::sigaction(SIGPIPE, nullptr, &pipe);
        ::sigaction(SIGXFSZ, nullptr, &file_size);
        ran.code = cli::run_app(surroundings, std::move(arguments));
        ::sigaction(SIGPIPE, &pipe, nullptr);
        ::sigaction(SIGXFSZ, &file_size, nullptr);
        ran.out = out.content();
        ran.err = err.content();
        return ran;
    }
    Ran run_json(std::vector<std::string> arguments, const std::string& input = {}) {
        arguments.insert(arguments.begin(), "--json");
        return run(std::move(arguments), input);
    }

    // A lease of somebody else on box/NAME, which is made if it is missing.
    std::string lease(const std::string& name, int seconds = 60) {
        if (!service.peek("box", name)) service.put("box", name, "content");
        Actor peer(service, clock_, 99);
        return peer.client().acquire_lease({"box", name, {}}, seconds, {}, {}, {}).value().lease_id;
    }
    [[nodiscard]] std::string lease_state(const std::string& container, const std::string& name) {
        return service.peek(container, name).value().lease_state;
    }

    [[nodiscard]] Clock& clock() { return clock_; }
    // A URL that names a snapshot of box/NAME; there is none.
    [[nodiscard]] static std::string snapshot_of(const std::string& name) {
        return std::string("http://127.0.0.1:10000/") + kRigAccount + "/box/" + name +
               "?snapshot=2023-11-14T22:13:20.0000000Z";
    }

    Environment environment;
    TempDir dir;
    FakeClock fake_clock;
    decltype(cli::Surroundings::ask) ask;  // the user at the terminal; empty: there is none
    std::optional<int> stdout_fd;          // the standard output of commands, instead of the memory behind Ran::out

  private:
    class Borrowed final : public http::Transport {
      public:
        explicit Borrowed(http::Transport& inner) : inner_(inner) {}
        [[nodiscard]] Result<http::Response> send(const http::Request& request, Deadline deadline,
                                                  std::stop_token stop) override {
            return inner_.send(request, deadline, std::move(stop));
        }

      private:
        http::Transport& inner_;
    };
    static FakeOptions options() {
        FakeOptions out;
        out.account = kRigAccount;
        out.bearer = kRigToken;
        return out;
    }

    SystemClock real_clock_;
    Clock& clock_;
    SeededRandom random_{7};

  public:
    FakeService service;
    FaultyTransport faulty{service, fake_clock};
};

// "azlock queue put" without "azlock".
inline std::vector<std::string> words_of(const std::string& path) {
    std::vector<std::string> out;
    for (std::size_t from = std::string("azlock ").size(); from < path.size();) {
        const std::size_t to = std::min(path.find(' ', from), path.size());
        out.push_back(path.substr(from, to - from));
        from = to + 1;
    }
    return out;
}

// Exit code and error of a command that must fail: as --json prints them, and as text, which must contain `part`.
inline void check_failure(CommandRig& rig, const std::vector<std::string>& arguments, int code,
                          const std::string& word) {
    CAPTURE(arguments);
    const Ran told = rig.run_json(arguments);
    INFO(told.err);
    CHECK(told.code == code);
    REQUIRE(!told.err.empty());
    CHECK(told.error().at("code") == word);
    CHECK(told.out.empty());
}
inline void check_failure_text(CommandRig& rig, const std::vector<std::string>& arguments, int code,
                               const std::string& part) {
    CAPTURE(arguments);
    const Ran told = rig.run(arguments);
    INFO(told.err);
    CHECK(told.code == code);
    CHECK(told.err.find(part) != std::string::npos);
    CHECK(told.err.find("azlock: ") == 0);
    CHECK(told.out.empty());
}

// The service refuses the credential: 77.
inline void check_refused(CommandRig& rig, const std::vector<std::string>& arguments) {
    rig.faulty.on(any_request()).from(1).return_status(403, "AuthenticationFailed");
    check_failure(rig, arguments, 77, "auth");
    check_failure_text(rig, arguments, 77, "AuthenticationFailed");
}

// There is no connection, for as long as `arguments` have it tried again: 69.
inline void check_unavailable(CommandRig& rig, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"--retries", "0"});
    rig.faulty.on(any_request()).from(1).fail_before();
    check_failure(rig, arguments, 69, "unavailable");
    check_failure_text(rig, arguments, 69, ": scripted fault");
}

// The failures that users meet most, for a command that asks the service: a refused credential, no connection, a
// container that is not there. `missing`: the arguments with a container "nowhere".
inline void check_usual_failures(CommandRig& rig, const std::vector<std::string>& arguments,
                                 const std::vector<std::string>& missing) {
    SECTION("the credential is refused: 77") {
        check_refused(rig, arguments);
    }
    SECTION("there is no connection: 69") {
        check_unavailable(rig, arguments);
    }
    SECTION("the container does not exist: 79") {
        check_failure(rig, missing, 79, "not_found");
        check_failure_text(rig, missing, 79, "nowhere");
    }
}

}  // namespace azlock::test
