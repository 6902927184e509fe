#include "cli/commands/lock/run_lock.hpp"

#include <csignal>

#include "cli/commands/lock/status_file.hpp"
#include "cli/output/exit_code.hpp"

namespace azlock::cli {
namespace {

using Kind = ops::LockedRunEnd::Kind;

constexpr std::chrono::seconds kTimeToStop{4};

// azlock's exit code, if it is not that of the error.
std::optional<int> own_code(const ops::LockedRunEnd& end, const LockOptions& options) {
    switch (end.kind) {
        case Kind::ran: return end.wait_status ? os::exit_code_of(*end.wait_status) : kExitBug;
        case Kind::timed_out: return os::kExitTimedOut;
        case Kind::lost: return kExitLost;
        case Kind::not_started: return os::exit_code_of(end.start_failure);
        case Kind::signalled: return 128 + end.signal;
        case Kind::refused: break;
    }
    return end.error->code == ErrorCode::busy ? options.busy_code : std::nullopt;
}

// Without azlock between them, ^C would reach our whole process group, and a script around us would end by it. (The
// shell's $? is 130 in both cases.)
[[noreturn]] void pass_interrupt_on(os::Guard& guard) {
    guard.dismiss();
    kill(0, SIGINT);
    os::die_of(SIGINT);
}

}  // namespace

Status run_lock(const LockOptions& o, Context& context,
                const std::function<ops::LockedRunEnd(ops::LockedRun& run, int retries)>& go) {
    context.take_time_to_stop(kTimeToStop);
    auto options = locked_run_options(o, context.command_line().front());
    if (!options) return fail(options.error());
    const auto retries = context.retries();
    if (!retries) return fail(retries.error());
    auto many = context.open(lock_target(o));
    if (!many) return fail(many.error());
    auto single = context.open_single(lock_target(o));
    if (!single) return fail(single.error());
    auto blobs = lock_blobs(o, many->address);
    if (!blobs) return fail(blobs.error());
    options->blobs = std::move(*blobs);
    const auto file = StatusFile::at(o.status_file);
    if (!file) return fail(file.error());
    options->status_path = file->path();

    Output& output = context.output();
    const auto write = [&](const ops::LockStatus& status, std::optional<int> code) {
        if (auto written = file->write(status, code); !written) output.error(written.error());
    };
    const auto ended = [&](const ops::LockStatus& status, const ops::LockedRunEnd& end) {
        const auto code = own_code(end, o);
        write(status, code ? *code : exit_code(*end.error, context.signals().received()));
    };
    auto run = ops::LockedRun::make(
        std::move(*options), {many->client(), single->client(), context.guard(), context.signals(), context.call(),
                              [&](const std::string& text) { output.notice(text); },
                              [&](const ops::LockStatus& status) { write(status, std::nullopt); }, ended});
    if (!run) return fail(run.error());
    if (auto writable = file->write(run->status(), std::nullopt); !writable) return writable;

    ops::LockedRunEnd end = go(*run, *retries);
    if (end.interrupted) pass_interrupt_on(context.guard());
    if (const auto code = own_code(end, o)) context.set_exit_code(*code);
    if (end.error) return fail(std::move(*end.error));
    return {};
}

}  // namespace azlock::cli
