#include "cli/commands/lock/lock_options.hpp"

#include <unistd.h>

#include "azure/names.hpp"
#include "azure/url.hpp"
#include "base/text.hpp"
#include "cli/flags/flags.hpp"
#include "cli/program/this_user.hpp"

namespace azlock::cli {
namespace {

bool is_target(const std::string& name) {
    return istarts_with(name, "az://") || azure::looks_like_url(name);
}

ops::Orphans orphans_of(const LockOptions& o) {
    if (o.orphans == "kill") return ops::Orphans::kill;
    return o.orphans == "leave" ? ops::Orphans::leave : ops::Orphans::wait;
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

}  // namespace

void add_lock_flags(Parser& cmd, LockOptions& o) {
    cmd.add_option("NAME", o.name, "Name of the lock (slashes allowed), or az://... or URL of a blob to lock")
        ->required();
    cmd.add_option("--container", o.container, "Container of the locks (default locks)")
        ->type_name("NAME")
        ->envname("AZLOCK_CONTAINER");
    add_duration(cmd, "--ttl", o.ttl, "How long the lease lasts without a renew, 15s to 60s (default 60s)");
    add_duration(cmd, "--kill-after", o.kill_after, "From TERM to KILL (default: a fifth of --ttl, at most 10s)");
    cmd.add_option("--slots", o.slots, "How many holders the lock may have at once (default 1)")
        ->type_name("N")
        ->range(std::uint64_t{1}, ops::kMostSlots);
    cmd.add_option("--owner", o.owner, "A field of the record, which shows others who holds the lock; may be repeated")
        ->type_name("KEY=VALUE")
        ->repeated();
    add_duration(cmd, "--run-timeout", o.run_timeout, "End the command after this time (exit code 124)");
    cmd.add_option("--on-lost", o.on_lost, "Shell command to run after the lock was lost and the command was ended")
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
    ops::LockedRunOptions out;
    out.name = o.name;
    out.timing = *timing;
    out.owner = std::move(*owner);
    out.orphans = orphans_of(o);
    out.run_timeout = o.run_timeout;
    out.gives_terminal = o.gives_terminal;
    out.quarantine = !o.no_quarantine;
    out.reentrant = !o.no_reentrant;
    out.command = command;
    out.on_lost = o.on_lost;
    return out;
}

std::string lock_target(const LockOptions& o) {
    return is_target(o.name) ? o.name : o.container + "/" + o.name;
}

Result<ops::LockName> lock_blobs(const LockOptions& o, const azure::BlobAddress& address) {
    return ops::make_lock_name(o.name, is_target(o.name), address, o.slots);
}

}  // namespace azlock::cli
