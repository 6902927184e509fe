#include "cli/commands/lock/run_lock.hpp"

#include <csignal>
#include <filesystem>

#include <sys/wait.h>
#include <unistd.h>

#include "azure/url.hpp"
#include "base/atomic_file.hpp"
#include "base/text.hpp"
#include "cli/flags/flags.hpp"
#include "cli/output/exit_code.hpp"
#include "cli/program/this_user.hpp"
#include "os/exit_status.hpp"

namespace azlock::cli {
namespace {

using Kind = ops::LockedRunEnd::Kind;

constexpr std::chrono::seconds kTimeToStop{4};

bool is_target(const std::string& name) {
    return istarts_with(name, "az://") || azure::looks_like_url(name);
}

Result<ops::OwnerRecord> lock_owner(const LockOptions& o, const std::string& command) {
    ops::OwnerRecord out = this_user();
    out.pid = static_cast<std::uint64_t>(getpid());
    out.command = command;
    for (const std::string& pair : o.owner) {
        const std::size_t equals = pair.find('=');
        if (equals == std::string::npos) {
            return fail(ErrorCode::usage, "--owner: '" + printable(pair) + "' is not of the form KEY=VALUE");
        }
        if (auto ok = ops::set_owner_field(out, pair.substr(0, equals), pair.substr(equals + 1)); !ok) {
            return fail(ok.error());
        }
    }
    return out;
}

// azlock's exit code, if it is not that of the error.
std::optional<int> own_code(const ops::LockedRunEnd& end, const LockOptions& options) {
    const ops::SessionOutcome& session = end.session;
    switch (end.kind) {
        case Kind::ran: return session.wait_status ? os::exit_code_of(*session.wait_status) : kExitBug;
        case Kind::timed_out: return os::kExitTimedOut;
        case Kind::lost: return kExitLost;
        case Kind::not_started: return os::exit_code_of(os::start_failure(session.at_exec, session.error));
        case Kind::signalled: return 128 + session.signal;
        case Kind::refused: break;
    }
    return end.error->code == ErrorCode::busy ? options.busy_code : std::nullopt;
}

Json to_json(const ops::LockStatus& s, std::optional<int> exit_code) {
    Json out;
    out["outcome"] = s.outcome;
    out["name"] = printable(s.name);
    out["url"] = s.url;
    out["slot"] = s.slot;
    out["fence"] = s.fence;
    Json command = nullptr;
    if (s.pid) {
        command = Json::object();
        command["pid"] = *s.pid;
        const bool ended = s.wait_status.has_value();
        const int status = s.wait_status.value_or(0);
        command["exit_code"] = ended && WIFEXITED(status) ? Json(WEXITSTATUS(status)) : Json();
        command["signal"] = ended && WIFSIGNALED(status) ? Json(WTERMSIG(status)) : Json();
    }
    out["command"] = command;
    out["exit_code"] = exit_code;
    out["waited_ms"] = s.waited.count();
    out["held_ms"] = s.held ? Json(s.held->count()) : Json();
    out["reason"] = or_null(printable(s.reason));
    return out;
}

// The absolute path; empty for an empty path.
Result<std::string> status_file_path(const std::string& path) {
    if (path.empty()) return path;
    std::error_code failure;
    const auto absolute = std::filesystem::absolute(path, failure);
    if (failure) return fail(file_error(ErrorCode::io, "cannot find the folder of", path, failure.value()));
    return absolute.string();
}

// Replaces the whole file; an empty path: nothing is written. `exit_code`: of azlock, once it is known.
Status write_status_file(const std::string& path, const ops::LockStatus& status, std::optional<int> exit_code) {
    if (path.empty()) return {};
    auto file = AtomicFile::create(path);
    if (!file) return fail(file.error());
    if (auto ok = file->write_at(0, as_bytes(to_json(status, exit_code).dump(2) + "\n")); !ok) return ok;
    return file->commit();
}

// Without azlock between them, ^C would reach our whole process group, and a script around us would end by it. (The
// shell's $? is 130 in both cases.)
[[noreturn]] void pass_interrupt_on(os::Guard& guard) {
    guard.dismiss();
    kill(0, SIGINT);
    os::die_of(SIGINT);
}

}  // namespace

void add_lock_flags(Parser& cmd, LockOptions& o) {
    cmd.add_option("NAME", o.run.name, "Name of the lock (slashes allowed), or az://... or URL of a blob to lock")
        ->required();
    cmd.add_option("--container", o.container, "Container of the locks (default locks)")
        ->type_name("NAME")
        ->envname("AZLOCK_CONTAINER");
    add_duration(cmd, "--ttl", o.ttl, "How long the lease lasts without a renew, 15s to 60s (default 60s)");
    add_duration(cmd, "--kill-after", o.kill_after, "From TERM to KILL (default: a fifth of --ttl, at most 10s)");
    cmd.add_option("--slots", o.run.blobs.slots, "How many holders the lock may have at once (default 1)")
        ->type_name("N")
        ->range(std::uint64_t{1}, ops::kMostSlots);
    cmd.add_option("--owner", o.owner, "A field of the record, which shows others who holds the lock; may be repeated")
        ->type_name("KEY=VALUE")
        ->repeated();
    add_duration(cmd, "--run-timeout", o.run.run_timeout, "End the command after this time (exit code 124)");
    cmd.add_option("--on-lost", o.run.on_lost, "Shell command to run after the lock was lost and the command was ended")
        ->type_name("COMMAND");
    cmd.add_option("--orphans", o.orphans,
                   "Processes the command leaves running: wait for them (default), kill them, or leave them unlocked")
        ->type_name("wait|kill|leave")
        ->choices({"wait", "kill", "leave"});
    cmd.add_option("-c", o.shell_text, "Run this with /bin/sh -c, instead of -- COMMAND")->type_name("TEXT");
    cmd.add_flag("--no-quarantine", o.no_quarantine,
                 "Do not wait for a former holder whose lease was broken and who may not know it yet");
}

Result<std::vector<std::string>> lock_command_line(const LockOptions& o, const std::vector<std::string>& after_dashes) {
    if (!o.shell_text.empty()) {
        if (!after_dashes.empty()) return fail(ErrorCode::usage, "give -c TEXT or -- COMMAND, not both");
        return std::vector<std::string>{"/bin/sh", "-c", o.shell_text};
    }
    if (after_dashes.empty() || after_dashes.front().empty()) {
        return fail(ErrorCode::usage, "no command was given", "give it after --, as in 'azlock lock NAME -- COMMAND'");
    }
    return after_dashes;
}

Result<ops::LockedRunOptions> locked_run_options(const LockOptions& o, const std::string& command) {
    const auto timing = ops::make_lock_timing(o.ttl.value_or(ops::kDefaultTtl), o.kill_after);
    if (!timing) return fail(timing.error());
    auto owner = lock_owner(o, command);
    if (!owner) return fail(owner.error());
    ops::LockedRunOptions out = o.run;
    out.timing = *timing;
    out.owner = std::move(*owner);
    if (o.orphans == "kill") out.orphans = ops::Orphans::kill;
    if (o.orphans == "leave") out.orphans = ops::Orphans::leave;
    out.quarantine = !o.no_quarantine;
    out.command = command;
    return out;
}

std::string lock_target(const LockOptions& o) {
    return is_target(o.run.name) ? o.run.name : o.container + "/" + o.run.name;
}

Result<ops::LockName> lock_blobs(const LockOptions& o, const azure::BlobAddress& address) {
    return ops::make_lock_name(o.run.name, is_target(o.run.name), address, o.run.blobs.slots);
}

Status run_lock(const LockOptions& o, ops::LockedRunOptions options, Context& context,
                const std::function<ops::LockedRunEnd(ops::LockedRun& run, int retries)>& go) {
    context.take_time_to_stop(kTimeToStop);
    const auto retries = context.retries();
    if (!retries) return fail(retries.error());
    auto many = context.open(lock_target(o));
    if (!many) return fail(many.error());
    auto single = context.open_single(lock_target(o));
    if (!single) return fail(single.error());
    auto blobs = lock_blobs(o, many->address);
    if (!blobs) return fail(blobs.error());
    options.blobs = std::move(*blobs);
    const auto file = status_file_path(o.status_file);
    if (!file) return fail(file.error());
    options.status_path = *file;

    Output& output = context.output();
    const auto write = [&](const ops::LockStatus& status, std::optional<int> code) {
        if (auto written = write_status_file(*file, status, code); !written) output.error(written.error());
    };
    const auto ended = [&](const ops::LockStatus& status, const ops::LockedRunEnd& end) {
        const auto code = own_code(end, o);
        write(status, code ? *code : exit_code(*end.error, context.signals().received()));
    };
    auto run = ops::LockedRun::make(
        std::move(options), {many->client(), single->client(), context.guard(), context.signals(), context.call(),
                             [&](const std::string& text) { output.notice(text); },
                             [&](const ops::LockStatus& status) { write(status, std::nullopt); }, ended});
    if (!run) return fail(run.error());
    if (auto writable = write_status_file(*file, run->status(), std::nullopt); !writable) return writable;

    ops::LockedRunEnd end = go(*run, *retries);
    if (end.session.interrupted) pass_interrupt_on(context.guard());
    if (const auto code = own_code(end, o)) context.set_exit_code(*code);
    if (end.error) return fail(std::move(*end.error));
    return {};
}

}  // namespace azlock::cli
