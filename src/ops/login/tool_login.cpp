#include "ops/login/tool_login.hpp"

#include <algorithm>
#include <array>
#include <cerrno>

#include <fcntl.h>
#include <poll.h>
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
constexpr int kMostPieces = 64;  // of what is left in the pipe at the end

// Reads what is there now and keeps the end of it. False: nothing more will come.
bool take_errors(int fd, std::string& tail) {
    std::array<char, 4096> buffer{};
    const ssize_t got = ::read(fd, buffer.data(), buffer.size());
    if (got < 0) return errno == EINTR || errno == EAGAIN;
    tail.append(buffer.data(), static_cast<std::size_t>(got));
    if (tail.size() > kShownErrors) tail.erase(0, tail.size() - kShownErrors);
    return got > 0;
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
    Pipe errors = make_pipe();
    if (!errors.read_end || ::fcntl(errors.read_end.get(), F_SETFL, O_NONBLOCK) != 0) {
        return fail(file_error(ErrorCode::io, "make a pipe for", argv.front(), errno));
    }
    os::ChildOptions options;
    options.argv = argv;
    options.input = nothing.get();
    options.errors = errors.write_end.get();
    options.folder = "/";
    options.own_group = true;
    auto child = os::Child::start(options);
    if (!child) return fail(child.error());
    errors.write_end.reset();
    ToolOutput out;
    const StopSignal signal(stop);
    const auto too_late = [] { return fail(http::timeout_error("it did not end in time and was ended")); };
    std::optional<os::ChildEnd> end;
    for (std::array<char, 16 * 1024> buffer{};;) {
        pollfd entries[] = {{child->output(), POLLIN, 0}, {errors.read_end.get(), POLLIN, 0}, {signal.fd(), POLLIN, 0}};
        const auto slice = std::chrono::ceil<std::chrono::milliseconds>(wait_slice(deadline, clock));
        if (::poll(entries, std::size(entries), end ? 0 : static_cast<int>(slice.count())) < 0) continue;
        if (signal.raised()) return fail(stopped_by_signal());
        if (clock.now() >= deadline) return too_late();
        if (entries[1].revents != 0 && !take_errors(errors.read_end.get(), out.errors)) errors.read_end.reset();
        if (entries[0].revents == 0) {
            if (end) break;
            // A process that it has left behind may keep the pipe open.
            end = child->wait_until(clock.now(), clock, stop);
            continue;
        }
        const ssize_t got = ::read(child->output(), buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return fail(file_error(ErrorCode::io, "read", "the output", errno));
        if (got == 0) break;
        if (static_cast<std::size_t>(got) > kLongestOutput - out.out.size()) {
            return fail(ErrorCode::auth, "it wrote more than 1 MiB");
        }
        out.out.append(buffer.data(), static_cast<std::size_t>(got));
    }
    if (!end) end = child->wait_until(deadline, clock, stop);
    if (!end && signal.raised()) return fail(stopped_by_signal());
    if (!end) return too_late();
    out.code = end->code;
    for (int i = 0; i < kMostPieces && errors.read_end && take_errors(errors.read_end.get(), out.errors); ++i) {
    }
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
