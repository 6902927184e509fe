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

void run_hook(const std::string& shell_command, ops::LockedRun& run, Output& output) {
    const auto ran = run.run_after_loss(shell_command);
    if (!ran) {
        output.error(ran.error());
    } else if (*ran != 0) {
        output.notice("--on-lost ended with code " + std::to_string(os::exit_code_of(*ran)));
    }
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
                const std::function<ops::LockedRunEnd(ops::LockedRun& run)>& go) {
    context.take_time_to_stop(kTimeToStop);
    const std::string& command = context.command_line().front();
    auto options = locked_run_options(o, command);
    if (!options) return fail(options.error());
    auto many = context.open(lock_target(o));
    if (!many) return fail(many.error());
    auto single = context.open_single(lock_target(o));
    if (!single) return fail(single.error());
    auto name = lock_name(o, many->address);
    if (!name) return fail(name.error());
    options->blobs = std::move(*name);
    const auto file = StatusFile::at(o.status_file);
    if (!file) return fail(file.error());
    options->status_path = file->path();

    Output& output = context.output();
    const auto note = [&](const ops::LockStatus& status) {
        auto written = file->write(status, std::nullopt);
        if (!written) output.error(written.error());
    };
    auto run = ops::LockedRun::make(
        std::move(*options), {many->client(), single->client(), context.guard(), context.signals(), context.call(),
                              [&](const std::string& text) { output.notice(text); }, note});
    if (!run) return fail(run.error());
    if (auto writable = file->write(run->status(), std::nullopt); !writable) return writable;

    ops::LockedRunEnd end = go(*run);
    const auto code = own_code(end, o);
    const int status_code = code ? *code : exit_code(*end.error, context.signals().received());
    if (auto written = file->write(run->status(), status_code); !written) output.error(written.error());
    if (end.kind == Kind::lost && end.begun && !o.on_lost.empty()) run_hook(o.on_lost, *run, output);
    if (end.interrupted) pass_interrupt_on(context.guard());
    if (code) context.set_exit_code(*code);
    if (end.error) return fail(std::move(*end.error));
    return {};
}

}  // namespace azlock::cli
