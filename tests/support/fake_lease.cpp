// The state table of the REST reference, row by row.
#include "support/fake_lease.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace azlock::test::fake {
namespace {

using std::chrono::nanoseconds;
using std::chrono::seconds;

Refusal conflict(std::string code) {
    return refusal(409, std::move(code));
}

constexpr const char* kMismatch = "LeaseIdMismatchWithLeaseOperation";
constexpr const char* kNotPresent = "LeaseNotPresentWithLeaseOperation";

// -1 or a number of seconds.
std::optional<int> read_seconds(std::string_view text) {
    if (text == "-1") return -1;
    const auto number = parse_u64(text);
    if (!number || *number > 1000) return std::nullopt;
    return static_cast<int>(*number);
}

Reply with_id(int status, const std::string& id) {
    Reply out(status);
    out.headers.set("x-ms-lease-id", id);
    return out;
}

// The service gives whole seconds. That it rounds up is an assumption: the less convenient one for the client.
long whole_seconds(nanoseconds span) {
    return std::chrono::ceil<seconds>(std::max(span, nanoseconds(0))).count();
}

}  // namespace

std::string_view to_string(LeaseState state) {
    switch (state) {
        case LeaseState::available: return "available";
        case LeaseState::leased: return "leased";
        case LeaseState::breaking: return "breaking";
        case LeaseState::broken: return "broken";
        case LeaseState::expired: return "expired";
    }
    return "available";
}

std::optional<std::string> canonical_guid(std::string_view text) {
    const bool wrapped = text.size() == 38 &&
                         ((text.front() == '{' && text.back() == '}') || (text.front() == '(' && text.back() == ')'));
    if (wrapped) text = text.substr(1, 36);
    std::string digits;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool hyphen_place = text.size() == 36 && (i == 8 || i == 13 || i == 18 || i == 23);
        if (hyphen_place != (text[i] == '-')) return std::nullopt;
        if (!hyphen_place) digits += text[i];
    }
    digits = to_lower(digits);
    if (digits.size() != 32 || digits.find_first_not_of("0123456789abcdef") != std::string::npos) return std::nullopt;
    for (const std::size_t at : {20U, 16U, 12U, 8U}) digits.insert(at, 1, '-');
    return digits;
}

LeaseState Lease::state(BootTime now) const {
    if (stored_ == LeaseState::leased && seconds_ >= 0 && now >= until_) return LeaseState::expired;
    if (stored_ == LeaseState::breaking && now >= until_) return LeaseState::broken;
    return stored_;
}

void Lease::start(BootTime now) {
    stored_ = LeaseState::leased;
    until_ = now + seconds(std::max(seconds_, 0));
}

Reply Lease::act(const Call& call) {
    std::string id;
    std::string proposed;
    for (auto [name, value] : {std::pair{"x-ms-lease-id", &id}, std::pair{"x-ms-proposed-lease-id", &proposed}}) {
        if (!call.has(name)) continue;
        const auto guid = canonical_guid(call.header(name));
        if (!guid) return bad_header(name, call.header(name));
        *value = *guid;
    }
    const std::string action = to_lower(call.header("x-ms-lease-action"));
    const bool needs_id = action == "renew" || action == "change" || action == "release";
    if (needs_id && id.empty()) return missing_header("x-ms-lease-id");
    if (action != "acquire" && call.has("x-ms-lease-duration")) {
        return bad_header("x-ms-lease-duration", call.header("x-ms-lease-duration"));
    }
    if (action == "acquire") return acquire(call);
    if (action == "renew") return renew(id, call.now);
    if (action == "change") {
        if (proposed.empty()) return missing_header("x-ms-proposed-lease-id");
        return change(id, proposed, call.now);
    }
    if (action == "release") return release(id);
    if (action == "break") return break_it(call);
    if (action.empty()) return missing_header("x-ms-lease-action");
    return bad_header("x-ms-lease-action", action);
}

Reply Lease::acquire(const Call& call) {
    if (!call.has("x-ms-lease-duration")) return missing_header("x-ms-lease-duration");
    const auto duration = read_seconds(call.header("x-ms-lease-duration"));
    if (!duration || (*duration != -1 && (*duration < 15 || *duration > 60))) {
        return bad_header("x-ms-lease-duration", call.header("x-ms-lease-duration"));
    }
    const std::string proposed = canonical_guid(call.header("x-ms-proposed-lease-id")).value_or("");
    const LeaseState at = state(call.now);
    if (at == LeaseState::leased && proposed != id_) return conflict("LeaseAlreadyPresent");
    if (at == LeaseState::breaking) {
        return conflict(proposed == id_ ? "LeaseIsBreakingAndCannotBeAcquired" : "LeaseAlreadyPresent");
    }
    // Without a proposed lease id the new id is the request's fresh id, which is unique.
    id_ = proposed.empty() ? call.fresh_id : proposed;
    seconds_ = *duration;
    start(call.now);
    return with_id(201, id_);
}

Reply Lease::renew(const std::string& id, BootTime now) {
    const LeaseState at = state(now);
    if (at == LeaseState::available || id != id_) return conflict(kMismatch);
    if (at == LeaseState::breaking || at == LeaseState::broken) return conflict("LeaseIsBrokenAndCannotBeRenewed");
    start(now);  // also after expiry: a write or another lease in between would have made it available or changed id_
    return with_id(200, id_);
}

Reply Lease::change(const std::string& id, const std::string& proposed, BootTime now) {
    const LeaseState at = state(now);
    const bool ours = id == id_ || proposed == id_;
    if (at == LeaseState::breaking) return conflict(ours ? "LeaseIsBreakingAndCannotBeChanged" : kMismatch);
    if (at != LeaseState::leased) return conflict(kNotPresent);
    if (!ours) return conflict(kMismatch);
    id_ = proposed;
    return with_id(200, id_);
}

Reply Lease::release(const std::string& id) {
    if (stored_ == LeaseState::available || id != id_) return conflict(kMismatch);
    stored_ = LeaseState::available;
    id_.clear();
    return Reply(200);
}

Reply Lease::break_it(const Call& call) {
    std::optional<int> period;
    if (call.has("x-ms-lease-break-period")) {
        period = read_seconds(call.header("x-ms-lease-break-period"));
        if (!period || *period < 0 || *period > 60) {
            return bad_header("x-ms-lease-break-period", call.header("x-ms-lease-break-period"));
        }
    }
    const LeaseState at = state(call.now);
    if (at == LeaseState::available) return conflict(kNotPresent);
    nanoseconds left(0);
    if (at == LeaseState::leased) left = seconds_ < 0 ? nanoseconds(seconds(period.value_or(0))) : until_ - call.now;
    if (at == LeaseState::breaking) left = until_ - call.now;
    if (period) left = std::min<nanoseconds>(left, seconds(*period));
    stored_ = left > nanoseconds(0) ? LeaseState::breaking : LeaseState::broken;
    until_ = call.now + left;
    Reply out(202);
    out.headers.set("x-ms-lease-time", std::to_string(whole_seconds(left)));
    return out;
}

Check Lease::allows_write(const Call& call) const {
    const LeaseState at = state(call.now);
    const bool held = at == LeaseState::leased || at == LeaseState::breaking;
    if (!call.has("x-ms-lease-id")) return held ? Check(refusal(412, "LeaseIdMissing")) : std::nullopt;
    const auto sent = canonical_guid(call.header("x-ms-lease-id"));
    if (!sent) return bad_header("x-ms-lease-id", call.header("x-ms-lease-id"));
    if (held && *sent == id_) return std::nullopt;
    if (held) return refusal(412, "LeaseIdMismatchWith" + target_ + "Operation");
    if (at == LeaseState::expired && *sent == id_) return refusal(412, kExpiredLeaseCode);
    return refusal(412, "LeaseNotPresentWith" + target_ + "Operation");
}

Check Lease::allows_read(const Call& call) const {
    if (!call.has("x-ms-lease-id")) return std::nullopt;
    const auto sent = canonical_guid(call.header("x-ms-lease-id"));
    if (!sent) return bad_header("x-ms-lease-id", call.header("x-ms-lease-id"));
    const LeaseState at = state(call.now);
    if (at != LeaseState::leased && at != LeaseState::breaking) {
        return refusal(412, "LeaseNotPresentWith" + target_ + "Operation");
    }
    if (*sent != id_) return refusal(412, "LeaseIdMismatchWith" + target_ + "Operation");
    return std::nullopt;
}

void Lease::note_write(BootTime now) {
    const LeaseState at = state(now);
    if (at != LeaseState::broken && at != LeaseState::expired) return;
    stored_ = LeaseState::available;
    id_.clear();
}

std::string Lease::duration_word(BootTime now) const {
    if (state(now) != LeaseState::leased) return {};
    return seconds_ < 0 ? "infinite" : "fixed";
}

void Lease::describe(BootTime now, http::Headers& out) const {
    const LeaseState at = state(now);
    const bool locked = at == LeaseState::leased || at == LeaseState::breaking;
    out.set("x-ms-lease-status", locked ? "locked" : "unlocked");
    out.set("x-ms-lease-state", std::string(to_string(at)));
    if (const std::string word = duration_word(now); !word.empty()) out.set("x-ms-lease-duration", word);
}

}  // namespace azlock::test::fake
