#include "ops/login/tool_login.hpp"

#include <algorithm>
#include <array>
#include <cerrno>

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.hpp"
#include "base/secret.hpp"
#include "base/text.hpp"
#include "base/wait.hpp"
#include "http/transport_error.hpp"
#include "ops/login/token_answer.hpp"
#include "os/child.hpp"

namespace azlock::ops {
namespace {

// az needs two seconds, and much more on a cold disk.
constexpr std::chrono::seconds kToolTime{30};
constexpr std::size_t kLongestOutput = 1024 * 1024;
constexpr std::size_t kShownErrors = 4096;

std::string tail_of(int fd) {
    const off_t size = ::lseek(fd, 0, SEEK_END);
    std::string text(kShownErrors, '\0');
    const off_t from = std::max<off_t>(0, size - static_cast<off_t>(kShownErrors));
    const ssize_t got = ::pread(fd, text.data(), text.size(), from);
    text.resize(static_cast<std::size_t>(std::max<ssize_t>(0, got)));
    return text;
}

// The last line that says something.
std::string last_line(const std::string& text) {
    std::string out;
    for (const std::string_view line : split(text, '\n')) {
        if (!trim(line).empty()) out = trim(line);
    }
    return redact(printable(out));
}

class ToolSource final : public TokenSource {
  public:
    ToolSource(Clock& clock, std::vector<std::string> argv, TokenFields fields, RunTool run)
        : clock_(clock), argv_(std::move(argv)), fields_(fields), run_(std::move(run)) {}

    [[nodiscard]] Result<Token> fetch(Deadline deadline, const std::stop_token& stop) override {
        const std::string& name = argv_.front();
        const BootTime asked = clock_.now();
        const auto ran = run_(argv_, clock_, std::min(deadline, clock_.after(kToolTime)), stop);
        if (!ran) {
            Error error = ran.error();
            if (error.code == ErrorCode::cancelled) return fail(std::move(error));
            const bool missing = error.code == ErrorCode::input_missing;
            return fail(ErrorCode::auth, name + (missing ? " is not installed" : ": " + error.message));
        }
        if (ran->code != 0) {
            return fail(ErrorCode::auth,
                        name + " gave no token: exit code " + std::to_string(ran->code) + ", " + last_line(ran->errors),
                        "log in with '" + name + (name == "az" ? " login'" : " auth login'"));
        }
        return read_token(ran->out, {asked, clock_.now(), clock_.wall(), name}, fields_);
    }

    [[nodiscard]] std::string describe() const override { return argv_.front(); }

  private:
    Clock& clock_;
    std::vector<std::string> argv_;
    TokenFields fields_;
    RunTool run_;
};

}  // namespace

Result<ToolOutput> run_tool(const std::vector<std::string>& argv, Clock& clock, Deadline deadline,
                            const std::stop_token& stop) {
    const Fd nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    const Fd errors(::memfd_create("errors", MFD_CLOEXEC));
    os::ChildOptions options;
    options.argv = argv;
    options.input = nothing.get();
    options.errors = errors.get();
    options.folder = "/";
    options.own_group = true;
    auto child = os::Child::start(options);
    if (!child) return fail(child.error());
    ToolOutput out;
    const StopSignal signal(stop);
    for (std::array<char, 16 * 1024> buffer{};;) {
        const Wake wake = wait_ready(child->output(), POLLIN, deadline, clock, signal);
        if (wake == Wake::stopped) return fail(stopped_by_signal());
        if (wake == Wake::deadline) return fail(http::timeout_error("it did not end in time and was ended"));
        const ssize_t got = ::read(child->output(), buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return fail(file_error(ErrorCode::io, "read", "the output", errno));
        if (got == 0) break;
        if (static_cast<std::size_t>(got) > kLongestOutput - out.out.size()) {
            return fail(ErrorCode::auth, "it wrote more than 1 MiB");
        }
        out.out.append(buffer.data(), static_cast<std::size_t>(got));
    }
    const auto end = child->wait(stop);
    if (!end) return fail(stopped_by_signal());
    out.code = end->code;
    out.errors = tail_of(errors.get());
    return out;
}

std::unique_ptr<TokenSource> make_az_source(Clock& clock, const std::string& tenant, RunTool run) {
    std::vector<std::string> argv{"az",   "account",    "get-access-token",           "--output",
                                  "json", "--resource", std::string(kStorageResource)};
    if (!tenant.empty()) argv.insert(argv.end(), {"--tenant", tenant});
    // Its expiresOn is local time without a zone; the token itself says when it ends if expires_on is missing.
    return std::make_unique<ToolSource>(clock, std::move(argv), TokenFields{"accessToken", "expires_on"},
                                        std::move(run));
}

std::unique_ptr<TokenSource> make_azd_source(Clock& clock, const std::string& tenant, RunTool run) {
    std::vector<std::string> argv{"azd",  "auth",        "token",   "--output",
                                  "json", "--no-prompt", "--scope", std::string(kStorageScope)};
    if (!tenant.empty()) argv.insert(argv.end(), {"--tenant-id", tenant});
    return std::make_unique<ToolSource>(clock, std::move(argv), TokenFields{"token", "expiresOn"}, std::move(run));
}

}  // namespace azlock::ops
