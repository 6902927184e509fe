#include "ops/lock/lock_request.hpp"

namespace azlock::ops {

Result<std::vector<std::string>> command_words(const std::string& shell_text,
                                               const std::vector<std::string>& after_dashes) {
    if (shell_text.empty()) return after_dashes;
    if (!after_dashes.empty()) return fail(ErrorCode::usage, "give -c TEXT or -- COMMAND, not both");
    return std::vector<std::string>{"/bin/sh", "-c", shell_text};
}

Result<Orphans> read_orphans(const std::string& word) {
    if (word == "wait") return Orphans::wait;
    if (word == "kill") return Orphans::kill;
    if (word == "leave") return Orphans::leave;
    return fail(ErrorCode::usage, "--orphans is wait, kill or leave");
}

Result<LockedRunOptions> make_locked_run(const LockRequest& request, const OwnerRecord& holder) {
    const auto timing = make_lock_timing(request.ttl, request.kill_after);
    if (!timing) return fail(timing.error());
    const auto orphans = read_orphans(request.orphans);
    if (!orphans) return fail(orphans.error());
    LockedRunOptions out = request.run;
    out.timing = *timing;
    if (out.run_timeout == std::chrono::milliseconds(0)) out.run_timeout.reset();  // 0: none
    out.orphans = *orphans;
    out.quarantine = !request.no_quarantine;
    out.reentrant = !request.no_reentrant;
    out.owner = holder;
    out.command = holder.command;
    if (auto ok = set_owner_fields(out.owner, request.owner_fields); !ok) return fail(ok.error());
    return out;
}

Result<LockedRunOptions> make_candidate(const LockRequest& request, const OwnerRecord& holder,
                                        const std::optional<std::string>& id) {
    auto out = make_locked_run(request, holder);
    if (!out) return out;
    if (out->orphans == Orphans::leave) {
        return fail(ErrorCode::usage, "elect takes --orphans wait or kill, not leave");
    }
    if (id && id->empty()) return fail(ErrorCode::usage, "--id is empty");
    out->reentrant = false;       // a lock around this command does not make it the leader
    out->gives_terminal = false;  // ^C ends the candidacy, even if the command exits normally
    if (!id) return out;
    if (auto ok = set_owner_field(out->owner, "owner", *id); !ok) return fail(ok.error());
    return out;
}

}  // namespace azlock::ops
