#include "ops/cas/transform_command.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <thread>

#include <poll.h>
#include <unistd.h>

#include "base/quantity.hpp"
#include "base/text.hpp"
#include "base/wait.hpp"
#include "ops/read/sealed_content.hpp"
#include "os/child.hpp"
#include "os/exit_status.hpp"

namespace azlock::ops {
namespace {

constexpr std::chrono::seconds kTimeToEnd{2};

// Requests the stop at the time `when`, unless the returned thread is destroyed before.
std::jthread stop_at(Deadline when, const std::stop_source& stop, Clock& clock) {
    if (when == kNoDeadline) return {};
    return std::jthread([when, stop, &clock](const std::stop_token& ended) mutable {
        if (clock.wait_until(when, ended)) stop.request_stop();
    });
}

enum class Read { all, stopped, too_much };

// Reads the pipe to its end.
Result<Read> read_output(int fd, std::uint64_t max_size, const Clock& clock, const std::stop_token& stop,
                         std::string& out) {
    const StopSignal signal(stop);
    std::array<char, 64 * 1024> buffer{};
    while (!stop.stop_requested()) {
        if (wait_ready(fd, POLLIN, kNoDeadline, clock, signal) != Wake::ready) continue;
        const ssize_t got = ::read(fd, buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return fail(file_error(ErrorCode::io, "read", "the command's output", errno));
        if (got == 0) return Read::all;
        if (static_cast<std::uint64_t>(got) > max_size - out.size()) return Read::too_much;
        out.append(buffer.data(), static_cast<std::size_t>(got));
    }
    return Read::stopped;
}

// Sends the signal, waits at most kTimeToEnd, then sends TERM and KILL.
void end(os::Child& child, int number, Clock& clock) {
    child.signal(number);
    const std::stop_source over;
    const auto patience = stop_at(clock.after(kTimeToEnd), over, clock);
    (void)child.wait(over.get_token());
    child.stop();
}

}  // namespace

Result<CasOutput> CommandTransform::run(const CasInput& input, const azure::Call& call) {
    const std::string name = "the command " + in_quotes(options_.argv.front()) + " ";
    os::ChildOptions start;
    start.argv = options_.argv;
    start.environment_changes = {"AZLOCK_ETAG=" + input.etag, "AZLOCK_ATTEMPT=" + std::to_string(input.tries),
                                 "AZLOCK_BLOB=" + options_.blob};
    start.input = input.fd;
    start.own_group = options_.own_group;
    auto child = os::Child::start(start);
    if (!child) {
        failure_ = {CommandFailure::Kind::not_started, os::exit_code_of(os::start_failure(child.error()))};
        return fail(child.error());
    }
    const Deadline run_end = options_.run_timeout ? clock_.after(*options_.run_timeout) : kNoDeadline;
    std::stop_source ending;
    const auto alarm = stop_at(std::min(run_end, call.deadline), ending, clock_);
    const std::stop_callback on_stop(call.stop, [&] { ending.request_stop(); });
    const std::stop_token over = ending.get_token();

    CasOutput out;
    const auto read = read_output(child->output(), options_.max_size, clock_, over, out.content);
    std::optional<os::ChildEnd> ended;
    if (read && *read == Read::all) ended = child->wait(over);
    if (!ended) {
        const bool stopped = call.stop.stop_requested();
        end(*child, stopped && options_.stop_signal ? options_.stop_signal() : SIGTERM, clock_);
        if (!read) return fail(read.error());
        if (*read == Read::too_much) return fail(too_large("the command's output", options_.max_size));
        if (stopped) return fail(ErrorCode::cancelled, "stopped by a signal; nothing was written");
        if (clock_.now() >= call.deadline) {
            return fail(deadline_passed("while " + name + "ran; nothing was written"));
        }
        failure_ = {CommandFailure::Kind::timed_out, os::kExitTimedOut};
        return fail(ErrorCode::data, name + "ran for longer than " + format_duration(*options_.run_timeout) +
                                         " and was ended; nothing was written");
    }
    if (ended->code == 0) return out;
    if (ended->signal == 0 && options_.skip_code == ended->code) return CasOutput{true, {}};
    failure_ = {CommandFailure::Kind::failed, ended->code};
    return fail(ErrorCode::data, os::describe_end(*ended, options_.argv[0]) + "; nothing was written");
}

}  // namespace azlock::ops
