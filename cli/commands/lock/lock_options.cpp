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

}  // namespace

void add_lock_flags(CLI::App& cmd, LockOptions& o) {
    cmd.add_option("NAME", o.name, "Name of the lock (slashes allowed), or az://... or URL of a blob to lock")
        ->required();
    cmd.add_option("--container", o.container, "Container of the locks (default locks)")
        ->type_name("NAME")
        ->envname("AZLOCK_CONTAINER");
    add_duration(cmd, "--ttl", o.ttl, "How long the lease lasts without a renew, 15s to 60s (default 60s)");
    add_duration(cmd, "--kill-after", o.kill_after, "From TERM to KILL (default a fifth of the ttl, at most 10s)");
    cmd.add_option("--slots", o.slots, "So many may run at once (default 1)")
        ->type_name("N")
        ->check(CLI::Range(std::uint64_t{1}, ops::kMostSlots));
    cmd.add_option("--owner", o.owner, "A word about yourself for those who wait; may be repeated")
        ->type_name("KEY=VALUE")
        ->expected(1)
        ->allow_extra_args(false)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    add_duration(cmd, "--run-timeout", o.run_timeout, "End the command after this time (exit code 124)");
    cmd.add_option("--on-lost", o.on_lost, "Shell command to run after the lock was lost and the command was ended")
        ->type_name("COMMAND");
    cmd.add_option(
           "--orphans", o.orphans,
           "What the command started and left running: wait for it (default), kill it, or leave it without lock")
        ->type_name("wait|kill|leave")
        ->check(CLI::IsMember({"wait", "kill", "leave"}));
    cmd.add_option("-c", o.shell_text, "Run this with /bin/sh -c, in place of -- COMMAND")->type_name("TEXT");
    cmd.add_flag("--no-quarantine", o.no_quarantine,
                 "Do not wait for a former holder whose lease was broken and who may not know yet");
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

Result<ops::LockTiming> lock_timing(const LockOptions& o) {
    return ops::make_lock_timing(o.ttl.value_or(ops::kDefaultTtl), o.kill_after);
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

std::string lock_target(const LockOptions& o) {
    return is_target(o.name) ? o.name : o.container + "/" + o.name;
}

Result<ops::LockName> lock_name(const LockOptions& o, const azure::BlobAddress& address) {
    if (address.is_container()) return fail(ErrorCode::usage, "'" + printable(o.name) + "' names no blob to lock");
    if (!address.snapshot.empty()) return fail(ErrorCode::usage, "a snapshot cannot be locked");
    ops::LockName out{address, o.slots};
    // Writes to the target itself may replace its metadata, and so the record.
    if (is_target(o.name)) out.base.blob += ".azlock";
    const azure::BlobAddress longest = out.slot(out.slots - 1);
    if (auto ok = azure::check_blob_name(longest.blob); !ok) return fail(ok.error());
    return out;
}

}  // namespace azlock::cli
