#include "cli/commands/lease/describe_lease.hpp"

#include "base/text.hpp"

namespace azlock::cli {
namespace {

Json owner_json(const ops::OwnerRecord& record) {
    Json out;
    out["owner"] = or_null(record.owner);
    out["host"] = or_null(record.host);
    out["pid"] = record.pid;
    out["command"] = or_null(record.command);
    out["run"] = or_null(record.run);
    out["since"] = date_or_null(record.since);
    out["fence"] = record.fence;
    out["slots"] = record.slots;
    out["ttl"] = seconds_or_null(record.ttl);
    out["renew_every"] = seconds_or_null(record.renew_every);
    out["kill_after"] = seconds_or_null(record.kill_after);
    out["other"] = Json::object();
    for (const auto& [key, value] : record.extra) out["other"][key] = value;
    return out;
}

Json foreign_json(const ops::ForeignRecord& record) {
    Json out;
    out["tool"] = record.tool;
    out["who"] = or_null(record.who);
    out["lease_id"] = or_null(record.lease_id);
    out["operation"] = or_null(record.operation);
    out["version"] = or_null(record.version);
    out["since"] = date_or_null(record.since);
    return out;
}

const char* word(ops::BreakReport::Outcome outcome) {
    switch (outcome) {
        case ops::BreakReport::Outcome::broken: return "broken";
        case ops::BreakReport::Outcome::not_leased: return "not_leased";
        case ops::BreakReport::Outcome::no_match: return "no_match";
        case ops::BreakReport::Outcome::would_break: break;
    }
    return "would_break";
}

std::string line(const std::string& name, const std::string& value) {
    return name + ":" + std::string(name.size() < 18 ? 18 - name.size() : 1, ' ') + printable(value);
}

}  // namespace

Json to_json(const ops::LeaseView& view) {
    Json out;
    out["state"] = or_null(view.lease.state);
    out["status"] = or_null(view.lease.status);
    out["duration"] = or_null(view.lease.duration);
    out["etag"] = or_null(view.etag);
    out["holder"] = view.owner.empty() ? Json() : owner_json(view.owner);
    out["former"] = view.former && !view.former->empty() ? owner_json(*view.former) : Json();
    out["quarantine_until"] = date_or_null(view.quarantine_until);
    out["foreign"] = view.foreign ? foreign_json(*view.foreign) : Json();
    out["held_seconds"] = seconds_or_null(view.held_for());
    out["holder_is_dead"] = ops::holder_is_dead(view.metadata);
    return out;
}

Json break_json(const std::string& target, const Result<ops::BreakReport>& report) {
    if (!report) return {{"target", target}, {"outcome", "failed"}, {"error", error_json(report.error())}};
    const bool broken = report->outcome == ops::BreakReport::Outcome::broken;
    Json before = to_json(report->before);
    Json out;
    out["target"] = target;
    out["outcome"] = word(report->outcome);
    out["was"] = before["state"];
    out["period"] = report->period;
    out["free_in"] = broken ? Json(report->seconds_left) : Json();
    out["marked_dead"] = report->dead_mark;
    out["why"] = or_null(report->why);
    for (const char* key : {"holder", "foreign", "held_seconds"}) out[key] = before[key];
    return out;
}

std::string holder_sentence(const ops::LeaseView& view) {
    if (view.is_taken()) return "held by " + view.holder();
    return view.has_record() ? "last held by " + view.holder() : "";
}

std::string with_concern(const std::string& sentence, const std::string& concern) {
    return concern.empty() ? sentence : sentence + " (" + concern + ")";
}

std::vector<std::string> describe(const ops::LeaseView& view, const std::string& target) {
    std::vector<std::string> out;
    out.push_back(line("state", view.lease.state));
    out.push_back(line("status", view.lease.status));
    if (!view.lease.duration.empty()) out.push_back(line("duration", view.lease.duration));
    out.push_back(line("etag", view.etag));
    if (view.is_taken() || view.has_record()) {
        out.push_back(line(view.is_taken() ? "held by" : "last held by", view.holder()));
    }
    if (view.owner.fence) out.push_back(line("fence", std::to_string(*view.owner.fence)));
    if (ops::holder_is_dead(view.metadata)) out.push_back(line("marked", "its holder is dead"));
    for (const std::string& name : view.owner.unreadable) out.push_back(line("unreadable", name));
    if (view.is_taken()) out.push_back(line(view.former ? "if it has ended" : "to free it", view.way_out(target)));
    return out;
}

}  // namespace azlock::cli
