#include "cli/commands/lock/elect_observe.hpp"

#include "base/http_date.hpp"
#include "base/text.hpp"
#include "ops/lock/leader_watch.hpp"

namespace azlock::cli {
namespace {

std::string text_of(const ops::Leader& leader) {
    if (!leader) return "nobody";
    if (leader->empty()) return "somebody who left no record";
    std::string out = printable(leader->owner) + "@" + printable(leader->host);
    if (leader->pid) out += " pid " + std::to_string(*leader->pid);
    if (leader->since) out += " since " + format_iso8601(*leader->since);
    if (leader->fence) out += " fence " + std::to_string(*leader->fence);
    return out;
}

Json json_of(const ops::Leader& leader, WallTime seen) {
    Json out;
    out["seen"] = format_iso8601(seen);
    out["leader"] = nullptr;
    if (!leader) return out;
    const auto text = [](const std::string& value) { return or_null(printable(value)); };
    Json who;
    who["owner"] = text(leader->owner);
    who["host"] = text(leader->host);
    who["pid"] = leader->pid;
    who["run"] = text(leader->run);
    who["since"] = date_or_null(leader->since);
    who["fence"] = leader->fence;
    out["leader"] = std::move(who);
    return out;
}

}  // namespace

Status observe_leader(const LockOptions& options, Context& context) {
    auto opened = context.open(lock_target(options));
    if (!opened) return fail(opened.error());
    const auto name = lock_blobs(options, opened->address);
    if (!name) return fail(name.error());
    Output& output = context.output();
    ops::LeaderVisitor visitor;
    visitor.changed = [&](const ops::Leader& leader, WallTime seen) {
        return output.json() ? output.object(json_of(leader, seen)) : output.line(text_of(leader));
    };
    visitor.blind = [&](const Error& error) { output.notice("cannot see who leads: " + error.message); };
    return ops::watch_leader(opened->client(), name->base, visitor, context.call());
}

}  // namespace azlock::cli
