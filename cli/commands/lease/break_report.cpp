#include "cli/commands/lease/break_report.hpp"

#include "base/text.hpp"
#include "cli/commands/lease/describe_lease.hpp"

namespace azlock::cli {
namespace {

using Outcome = ops::BreakReport::Outcome;

const char* word(Outcome outcome) {
    switch (outcome) {
        case Outcome::broken: return "broken";
        case Outcome::not_leased: return "not_leased";
        case Outcome::no_match: return "no_match";
        case Outcome::would_break: return "would_break";
    }
    return "broken";
}

std::string when(int seconds_left) {
    return seconds_left == 0 ? "free now" : "free in " + std::to_string(seconds_left) + " s";
}

// "; it was held by ..."
std::string holder(const ops::LeaseView& before, const char* verb) {
    return before.is_locked() ? std::string("; it ") + verb + " held by " + before.holder() : "";
}

std::string broken_text(const ops::BreakReport& report) {
    const std::string& state = report.before.lease.state;
    std::string out = "broken";
    if (state == "expired") out = "had expired; broken";
    if (state == "broken") out = "was broken";
    out += ", " + when(report.seconds_left);
    if (report.dead_mark == true) out += ", and nobody waits for its holder";
    if (report.dead_mark == false) out += ", but somebody else has taken it meanwhile";
    return out + holder(report.before, "was");
}

std::string not_leased_text(const std::string& state) {
    if (state == "broken") return "was not leased: it was broken before";
    if (state == "expired") return "was not leased: its lease had expired";
    return "was not leased";
}

}  // namespace

Json break_json(const std::string& target, const ops::BreakReport& report) {
    Json before = to_json(report.before);
    Json out;
    out["target"] = target;
    out["outcome"] = word(report.outcome);
    out["was"] = before["state"];
    out["period"] = report.period;
    out["free_in"] = report.outcome == Outcome::broken ? Json(report.seconds_left) : Json();
    out["marked_dead"] = report.dead_mark;
    out["why"] = or_null(report.why);
    for (const char* key : {"holder", "foreign", "held_seconds"}) out[key] = before[key];
    return out;
}

Json failed_break_json(const std::string& target, const Error& error) {
    return Json{{"target", target}, {"outcome", "failed"}, {"error", error_json(error)}};
}

std::string break_text(const std::string& target, const ops::BreakReport& report) {
    const std::string name = printable(target) + ": ";
    switch (report.outcome) {
        case Outcome::broken: return name + broken_text(report);
        case Outcome::not_leased: return name + not_leased_text(report.before.lease.state);
        case Outcome::no_match: return name + "not broken: " + report.why + holder(report.before, "is");
        case Outcome::would_break: break;
    }
    const std::string period = report.period ? " in " + std::to_string(*report.period) + " s" : "";
    return name + "would be broken" + period + holder(report.before, "is");
}

}  // namespace azlock::cli
