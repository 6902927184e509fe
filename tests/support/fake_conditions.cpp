// The page "Specifying conditional headers" as code.
#include "support/fake_conditions.hpp"

#include <algorithm>

#include "base/http_date.hpp"
#include "base/text.hpp"

namespace azlock::test::fake {
namespace {

using std::chrono::floor;
using std::chrono::seconds;

std::vector<std::string> etags_of(std::string_view value) {
    std::vector<std::string> out;
    for (const std::string_view part : split(value, ',')) {
        std::string_view tag = trim(part);
        if (tag.size() >= 2 && tag.front() == '"' && tag.back() == '"') tag = tag.substr(1, tag.size() - 2);
        out.emplace_back(tag);
    }
    return out;
}

bool names(const std::vector<std::string>& tags, const std::string& etag) {
    return std::find(tags.begin(), tags.end(), etag) != tags.end();
}

struct Conditions {
    std::optional<std::vector<std::string>> match;
    std::optional<std::vector<std::string>> none_match;
    std::optional<WallTime> modified_since;
    std::optional<WallTime> unmodified_since;
};

Check read_date(const Call& call, const char* name, std::optional<WallTime>& out) {
    if (!call.has(name)) return std::nullopt;
    out = parse_http_date(call.header(name));
    return out ? Check{} : Check{bad_header(name, call.header(name))};
}

Check read_conditions(const Call& call, Conditions& out) {
    if (call.has("If-Match")) out.match = etags_of(call.header("If-Match"));
    if (call.has("If-None-Match")) out.none_match = etags_of(call.header("If-None-Match"));
    if (auto no = read_date(call, "If-Modified-Since", out.modified_since)) return no;
    return read_date(call, "If-Unmodified-Since", out.unmodified_since);
}

bool modified_after(const Subject& subject, WallTime date) {
    return floor<seconds>(subject.last_modified) > floor<seconds>(date);
}

Refusal unmet(int status) {
    return refusal(status, "ConditionNotMet");
}

}  // namespace

Check check_read(const Call& call, const Subject& subject) {
    Conditions c;
    if (auto no = read_conditions(call, c)) return no;
    if (c.match && !names(*c.match, "*") && !names(*c.match, subject.etag)) return unmet(412);
    if (c.unmodified_since && modified_after(subject, *c.unmodified_since)) return unmet(412);
    if (c.none_match && names(*c.none_match, "*")) return refusal(400, "UnsatisfiableCondition");
    if (!c.none_match && !c.modified_since) return std::nullopt;
    const bool changed = (c.none_match && !names(*c.none_match, subject.etag)) ||
                         (c.modified_since && modified_after(subject, *c.modified_since));
    return changed ? Check{} : Check{unmet(304)};
}

Check check_write(const Call& call, const Subject& subject, Star star) {
    Conditions c;
    if (auto no = read_conditions(call, c)) return no;
    // Allowed: one header, or an ETag condition with the date condition of its own kind (the date is then ignored).
    const bool too_many = (c.match && c.none_match) || (c.modified_since && c.unmodified_since) ||
                          (c.match && c.modified_since) || (c.none_match && c.unmodified_since) ||
                          (c.match && c.match->size() > 1) || (c.none_match && c.none_match->size() > 1);
    if (too_many) return refusal(400, "MultipleConditionHeadersNotSupported");
    if (c.match) {
        const bool met = subject.exists && (names(*c.match, "*") || names(*c.match, subject.etag));
        return met ? Check{} : Check{unmet(412)};
    }
    if (!subject.exists) return std::nullopt;
    if (c.none_match && names(*c.none_match, "*")) {
        if (star == Star::ignored) return std::nullopt;
        return star == Star::already_exists ? refusal(409, "BlobAlreadyExists") : unmet(412);
    }
    if (c.none_match) return names(*c.none_match, subject.etag) ? Check{unmet(412)} : Check{};
    if (c.unmodified_since && modified_after(subject, *c.unmodified_since)) return unmet(412);
    if (c.modified_since && !modified_after(subject, *c.modified_since)) return unmet(412);
    return std::nullopt;
}

Check check_container(const Call& call, WallTime last_modified, bool takes_unmodified_since) {
    Conditions c;
    if (auto no = read_conditions(call, c)) return no;
    // It is not published whether the live service refuses or ignores the others. The fake refuses them, so that tests
    // find a condition that guards nothing.
    if (c.match || c.none_match || (c.unmodified_since && !takes_unmodified_since)) {
        return refusal(400, "ConditionHeadersNotSupported");
    }
    const Subject subject{true, {}, last_modified};
    if (c.modified_since && !modified_after(subject, *c.modified_since)) return unmet(412);
    if (c.unmodified_since && modified_after(subject, *c.unmodified_since)) return unmet(412);
    return std::nullopt;
}

}  // namespace azlock::test::fake
