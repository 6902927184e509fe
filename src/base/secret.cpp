#include "base/secret.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "base/encoding.hpp"
#include "base/text.hpp"

namespace azlock {
namespace {

// The text before a secret. Upper and lower case are the same.
struct Lead {
    std::string_view text;
    bool assigned;              // a '=' follows, perhaps percent-encoded
    bool whole_word;            // "design=" is not "sig="
    std::string_view skip;      // characters that may come before the value
    std::string_view ends;      // the value ends before the first of these
    bool in_sentences = false;  // what follows may be a word of a sentence, and no secret
};

constexpr std::string_view kSettingEnds = ";\"'\r\n\t ";
constexpr std::string_view kFieldEnds = "&;\"'\r\n\t <>";
constexpr std::string_view kTokenEnds = "\"'\r\n\t <>";

constexpr std::array<Lead, 9> kLeads{{
    {"sharedaccesssignature", true, false, " \"'", kSettingEnds},
    {"accountkey", true, false, " \"'", kSettingEnds},
    {"sig", true, true, "", kFieldEnds},
    {"client_secret", true, true, "", kFieldEnds},
    {"client_assertion", true, true, "", kFieldEnds},
    {"bearer ", false, false, " ", kTokenEnds, true},
    {"sharedkey ", false, false, " ", kTokenEnds, true},
    {"sharedkeylite ", false, false, " ", kTokenEnds, true},
    // From the service's message about a request that it refused.
    {"signature found in the http request '", false, false, "", "'\r\n"},
}};

constexpr std::string_view kMask = "REDACTED";

struct Found {
    const Lead* lead;
    std::size_t value;    // where the secret begins
    std::size_t encoded;  // the size of the '=' if it was percent-encoded: the ends are encoded as often; else 0
};

bool is_word(char c) {
    return is_alnum(c) || c == '_' || c == '-';
}

// A word of a sentence, as in "Bearer is not supported": letters, of which at most the first is a capital, and perhaps
// a stop. No token looks like that.
bool is_of_sentence(std::string_view text) {
    constexpr std::size_t kLongestWord = 14;  // "authentication"
    text = text.substr(0, text.find_last_not_of(".,:;!?)") + 1);
    return text.size() >= 2 && text.size() <= kLongestWord && is_lower(static_cast<char>(text.front() | 0x20)) &&
           std::all_of(text.begin() + 1, text.end(), is_lower);
}

struct Escape {
    std::size_t size;
    char value;
};

// An escape at `at`, encoded any number of times: "%3D", "%253D", "%25253D" are all '='.
std::optional<Escape> escape_at(std::string_view text, std::size_t at) {
    if (at >= text.size() || text[at] != '%') return std::nullopt;
    std::size_t digits = at + 1;
    while (text.substr(digits, 2) == "25" && digits + 4 <= text.size()) digits += 2;
    if (digits + 2 > text.size()) return std::nullopt;
    const auto value = percent_decode("%" + std::string(text.substr(digits, 2)));
    if (!value) return std::nullopt;
    return Escape{digits + 2 - at, value->front()};
}

// True if the characters before `at` are an escape. Then a word begins at `at`.
bool follows_escape(std::string_view text, std::size_t at) {
    if (at < 3 || hex_value(text[at - 1]) < 0 || hex_value(text[at - 2]) < 0) return false;
    std::size_t start = at - 3;
    while (start >= 2 && text[start] == '5' && text[start - 1] == '2') start -= 2;
    return text[start] == '%';
}

std::optional<Found> find_at(std::string_view text, std::size_t at) {
    for (const Lead& lead : kLeads) {
        if ((text[at] | 0x20) != lead.text.front()) continue;  // most characters do not begin a lead
        if (!istarts_with(text.substr(at), lead.text)) continue;
        if (lead.whole_word && at > 0 && is_word(text[at - 1]) && !follows_escape(text, at)) continue;
        std::size_t value = at + lead.text.size();
        std::size_t encoded = 0;
        if (lead.assigned) {
            const auto escape = escape_at(text, value);
            if (escape && escape->value == '=') encoded = escape->size;
            if (encoded == 0 && text.substr(value, 1) != "=") continue;
            value += std::max<std::size_t>(encoded, 1);
        }
        return Found{&lead, std::min(text.find_first_not_of(lead.skip, value), text.size()), encoded};
    }
    return std::nullopt;
}

std::size_t value_end(std::string_view text, const Found& found) {
    for (std::size_t i = found.value; i < text.size(); ++i) {
        if (found.lead->ends.find(text[i]) != std::string_view::npos) return i;
        // Another lead may begin inside the value. If the value ended at a blank behind that lead, the second secret
        // would stay visible: "Bearer xAccountKey= y".
        if (const auto next = find_at(text, i); next && !next->lead->whole_word) return i;
        if (found.encoded == 0) continue;
        const auto escape = escape_at(text, i);
        if (escape && escape->size == found.encoded && found.lead->ends.find(escape->value) != std::string_view::npos)
            return i;
    }
    return text.size();
}

}  // namespace

std::string redact(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size();) {
        const auto found = find_at(text, i);
        if (!found) {
            out += text[i++];
            continue;
        }
        const std::size_t end = value_end(text, *found);
        out += text.substr(i, found->value - i);
        const std::string_view value = text.substr(found->value, end - found->value);
        const bool kept = found->lead->in_sentences && is_of_sentence(value);
        out += kept || value.empty() ? value : kMask;
        i = end;
    }
    return out;
}

bool is_mask(std::string_view text) {
    return iequals(text, kMask) || (!text.empty() && text.find_first_not_of('*') == std::string_view::npos);
}

}  // namespace azlock
