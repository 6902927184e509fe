#include "ops/files/mime_globs.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace azlock::ops {
namespace {

constexpr std::string_view kNoGlobs = "__NOGLOBS__";

bool is_token(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view("!#$&^_.+-").find(c) != std::string_view::npos;
    });
}

// True for text that is safe as a header's value.
bool is_type(std::string_view text) {
    const std::size_t slash = text.find('/');
    return slash != std::string_view::npos && text.size() < 256 && is_token(text.substr(0, slash)) &&
           is_token(text.substr(slash + 1));
}

}  // namespace

void MimeGlobs::add(std::string_view type, const std::string& pattern, bool case_sensitive) {
    if (pattern.empty()) return;
    exact_.emplace(pattern, type);
    if (!case_sensitive) lower_.emplace(to_lower(pattern), type);
}

void MimeGlobs::add_globs2(std::string_view text) {
    std::vector<std::string> closing;
    for (const std::string_view line : split(text, '\n')) {
        const auto fields = split(line, ':');
        if (line.starts_with('#') || fields.size() < 3 || !is_type(fields[1])) continue;
        const std::string type(fields[1]);
        if (!parse_u64(fields[0]) || closed_types_.contains(type)) continue;
        if (fields[2] == kNoGlobs) {
            closing.push_back(type);
            continue;
        }
        const auto flags = fields.size() > 3 ? split(fields[3], ',') : std::vector<std::string_view>();
        const bool case_sensitive = std::find(flags.begin(), flags.end(), "cs") != flags.end();
        add(type, std::string(fields[2]), case_sensitive);
    }
    closed_types_.insert(closing.begin(), closing.end());
}

void MimeGlobs::add_mime_types(std::string_view text) {
    for (std::string_view line : split(text, '\n')) {
        line = line.substr(0, line.find('#'));
        std::string_view type;
        while (!(line = trim(line)).empty()) {
            const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
            const std::string_view word = line.substr(0, end);
            line.remove_prefix(end);
            if (type.empty()) {
                type = word;
                if (!is_type(type)) break;
            } else {
                add(type, "*." + std::string(word), false);
            }
        }
    }
}

std::optional<std::string> MimeGlobs::find(const Rules& rules, const std::string& name) {
    auto found = rules.find(name);
    for (std::size_t dot = name.find('.'); found == rules.end() && dot != std::string::npos;) {
        found = rules.find("*" + name.substr(dot));
        dot = name.find('.', dot + 1);
    }
    return found == rules.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::string> MimeGlobs::find(std::string_view name) const {
    auto found = find(exact_, std::string(name));
    return found ? found : find(lower_, to_lower(name));
}

}  // namespace azlock::ops
