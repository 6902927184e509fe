#include "ops/files/mime_globs.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace azlock::ops {
namespace {

constexpr std::string_view kNoGlobs = "__NOGLOBS__";
constexpr unsigned kUsualWeight = 50;

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

bool has_wildcard(std::string_view text) {
    return text.find_first_of("*?[\\") != std::string_view::npos;
}

}  // namespace

void MimeGlobs::Rules::add(const std::string& pattern, const Rule& rule) {
    const auto keep_better = [&rule](std::unordered_map<std::string, Rule>& rules, const std::string& key) {
        const auto [known, is_new] = rules.emplace(key, rule);
        if (!is_new && known->second.weight < rule.weight) known->second = rule;
    };
    if (!has_wildcard(pattern)) {
        keep_better(names, pattern);
    } else if (pattern.starts_with('*') && pattern.size() > 1 && !has_wildcard(pattern.substr(1))) {
        keep_better(ends, pattern.substr(1));
        longest_end = std::max(longest_end, pattern.size() - 1);
    } else if (auto glob = Glob::parse(pattern)) {
        others.emplace_back(std::move(*glob), rule);
    }
}

const MimeGlobs::Rule* MimeGlobs::Rules::find(std::string_view name) const {
    if (const auto whole = names.find(std::string(name)); whole != names.end()) return &whole->second;
    const Rule* best = nullptr;
    const auto consider = [&best](const Rule& rule) {
        const bool better = best == nullptr || rule.weight > best->weight ||
                            (rule.weight == best->weight && rule.length > best->length);
        if (better) best = &rule;
    };
    for (std::size_t length = std::min(name.size(), longest_end); length > 0; --length) {
        const auto end = ends.find(std::string(name.substr(name.size() - length)));
        if (end != ends.end()) consider(end->second);
    }
    for (const auto& [glob, rule] : others) {
        if (glob.matches(name, false)) consider(rule);
    }
    return best;
}

void MimeGlobs::add(unsigned weight, std::string_view type, std::string_view pattern, bool case_sensitive) {
    if (pattern.empty() || pattern.find('/') != std::string_view::npos) return;
    const Rule rule{weight, pattern.size(), std::string(type)};
    exact_.add(std::string(pattern), rule);
    if (!case_sensitive) lower_.add(to_lower(pattern), rule);
}

void MimeGlobs::add_globs2(std::string_view text) {
    std::vector<std::string> closing;
    for (const std::string_view line : split(text, '\n')) {
        const auto fields = split(line, ':');
        if (line.starts_with('#') || fields.size() < 3 || !is_type(fields[1])) continue;
        const auto weight = parse_u64(fields[0]);
        const std::string type(fields[1]);
        if (!weight || *weight > 100 || closed_types_.contains(type)) continue;
        if (fields[2] == kNoGlobs) {
            closing.push_back(type);
            continue;
        }
        const auto flags = fields.size() > 3 ? split(fields[3], ',') : std::vector<std::string_view>();
        const bool case_sensitive = std::find(flags.begin(), flags.end(), "cs") != flags.end();
        add(static_cast<unsigned>(*weight), type, fields[2], case_sensitive);
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
            } else if (!has_wildcard(word)) {
                add(kUsualWeight, type, "*." + std::string(word), false);
            }
        }
    }
}

std::optional<std::string> MimeGlobs::find(std::string_view name) const {
    const Rule* rule = exact_.find(name);
    if (rule == nullptr) rule = lower_.find(to_lower(name));
    return rule == nullptr ? std::nullopt : std::optional(rule->type);
}

}  // namespace azlock::ops
