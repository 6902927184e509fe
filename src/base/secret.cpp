#include "base/secret.hpp"

#include <array>

#include "base/text.hpp"

namespace azlock {
namespace {

struct Pattern {
    std::string_view lead;  // matched without regard to case; what follows it is the secret
    std::string_view ends;  // the secret goes on to the first of these
};

constexpr std::array<Pattern, 6> kPatterns{{
    {"sharedaccesssignature=", ";\"'\r\n\t "},
    {"accountkey=", ";\"'\r\n\t "},
    {"sig=", "&;\"'\r\n\t <>"},
    {"sig%3d", "&;%\"'\r\n\t <>"},
    {"bearer ", "\"'\r\n\t <>"},
    {"sharedkey ", "\"'\r\n\t <>"},
}};

constexpr std::string_view kMask = "REDACTED";

bool is_word(char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

const Pattern* match_at(std::string_view text, std::size_t at) {
    if (at > 0 && is_word(text[at - 1])) return nullptr;  // "design=" is not "sig="
    for (const Pattern& pattern : kPatterns) {
        if (istarts_with(text.substr(at), pattern.lead)) return &pattern;
    }
    return nullptr;
}

}  // namespace

std::string redact(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size();) {
        const Pattern* pattern = match_at(text, i);
        if (pattern == nullptr) {
            out += text[i++];
            continue;
        }
        out += text.substr(i, pattern->lead.size());
        i += pattern->lead.size();
        const std::size_t end = std::min(text.find_first_of(pattern->ends, i), text.size());
        if (end > i) out += kMask;
        i = end;
    }
    return out;
}

}  // namespace azlock
