#include "base/glob.hpp"

#include <algorithm>
#include <optional>

#include "base/encoding.hpp"
#include "base/text.hpp"

namespace azlock {
namespace {

constexpr char32_t kFirstStrayByte = 0x110000;  // above Unicode: a byte that is not UTF-8 equals only itself

// Returns the character at `at` and moves `at` behind it.
char32_t next_character(std::string_view text, std::size_t& at) {
    if (const auto character = next_utf8(text, at)) return *character;
    return kFirstStrayByte + static_cast<unsigned char>(text[at++]);
}

tl::unexpected<Error> bad(std::string_view pattern, const std::string& why) {
    return fail(ErrorCode::usage, "the pattern " + in_quotes(pattern) + " " + why);
}

}  // namespace

Result<Glob> Glob::parse(std::string_view pattern) {
    std::string_view rest = pattern;
    Glob glob;
    const bool anchored = rest.starts_with('/') || rest.starts_with("./");
    if (anchored) rest.remove_prefix(rest.find('/') + 1);
    if (rest.ends_with('/')) {
        glob.directories_only_ = true;
        rest.remove_suffix(1);
    }
    if (rest.empty()) return bad(pattern, "matches nothing");
    glob.last_part_only_ = !anchored && rest.find('/') == std::string_view::npos;
    for (const std::string_view text : split(rest, '/')) {
        if (text.empty()) return bad(pattern, "has two slashes together");
        if (text == "." || text == "..") return bad(pattern, "has a part '.' or '..', but no path has such a part");
        auto part = parse_part(text, pattern);
        if (!part) return fail(part.error());
        glob.parts_.push_back(std::move(*part));
    }
    return glob;
}

Result<Glob::Part> Glob::parse_part(std::string_view text, std::string_view pattern) {
    Part part;
    if (text == "**") {
        part.any_depth = true;
        return part;
    }
    for (std::size_t at = 0; at < text.size();) {
        Token token;
        if (text[at] == '*') {
            token.kind = Token::Kind::run;
            ++at;
            // A second '*' changes nothing.
            if (!part.tokens.empty() && part.tokens.back().kind == Token::Kind::run) continue;
        } else if (text[at] == '?') {
            token.kind = Token::Kind::any;
            ++at;
        } else if (text[at] == '[') {
            auto set = parse_set(text, at, pattern);
            if (!set) return fail(set.error());
            token = std::move(*set);
        } else {
            if (text[at] == '\\' && ++at == text.size()) return bad(pattern, "ends a part with a backslash");
            token.literal = next_character(text, at);
        }
        part.tokens.push_back(std::move(token));
    }
    return part;
}

// At the call `at` is at the opening bracket; it moves behind the closing one. As in other tools, ']' is a member if it
// comes first, and '-' if it comes first or last.
Result<Glob::Token> Glob::parse_set(std::string_view text, std::size_t& at, std::string_view pattern) {
    Token token;
    token.kind = Token::Kind::set;
    ++at;
    if (at < text.size() && (text[at] == '!' || text[at] == '^')) {
        token.negated = true;
        ++at;
    }
    const auto member = [&]() -> std::optional<char32_t> {
        if (text[at] == '\\' && ++at == text.size()) return std::nullopt;
        return next_character(text, at);
    };
    for (bool first = true; at < text.size(); first = false) {
        if (text[at] == ']' && !first) {
            ++at;
            return token;
        }
        if (text.substr(at).starts_with("[:")) return bad(pattern, "names a class of characters; write it as a range");
        const auto low = member();
        if (!low) break;
        auto high = low;
        if (at + 1 < text.size() && text[at] == '-' && text[at + 1] != ']') {
            ++at;
            high = member();
            if (!high) break;
        }
        if (*high < *low) return bad(pattern, "has a range that goes backwards");
        token.ranges.emplace_back(*low, *high);
    }
    return bad(pattern, "has a '[' without its ']'");
}

bool Glob::one_matches(const Token& token, char32_t character) {
    if (token.kind == Token::Kind::any) return true;
    if (token.kind == Token::Kind::literal) return token.literal == character;
    const bool found = std::any_of(token.ranges.begin(), token.ranges.end(), [character](const auto& range) {
        return character >= range.first && character <= range.second;
    });
    return found != token.negated;
}

// Both matchers below go back only to their last wildcard: an earlier one could not match more than the last one does.
bool Glob::part_matches(const Part& part, std::string_view text) {
    const auto& tokens = part.tokens;
    std::size_t token = 0;
    std::size_t at = 0;
    std::size_t run = tokens.size();  // the last '*' passed; it covers the text before run_end
    std::size_t run_end = 0;
    while (at < text.size()) {
        std::size_t next = at;
        if (token < tokens.size() && tokens[token].kind == Token::Kind::run) {
            run = token++;
            run_end = at;
        } else if (token < tokens.size() && one_matches(tokens[token], next_character(text, next))) {
            ++token;
            at = next;
        } else if (run < tokens.size()) {
            static_cast<void>(next_character(text, run_end));
            token = run + 1;
            at = run_end;
        } else {
            return false;
        }
    }
    if (token < tokens.size() && tokens[token].kind == Token::Kind::run) ++token;
    return token == tokens.size();
}

bool Glob::parts_match(const std::vector<std::string_view>& path) const {
    std::size_t part = 0;
    std::size_t at = 0;
    std::size_t deep = parts_.size();  // the last '**' passed; it covers the parts of the path before deep_end
    std::size_t deep_end = 0;
    while (at < path.size()) {
        if (part < parts_.size() && parts_[part].any_depth) {
            deep = part++;
            // At the end it needs at least one part, and path[at] is one.
            if (part == parts_.size()) return true;
            deep_end = at;
        } else if (part < parts_.size() && part_matches(parts_[part], path[at])) {
            ++part;
            ++at;
        } else if (deep < parts_.size()) {
            part = deep + 1;
            at = ++deep_end;
        } else {
            return false;
        }
    }
    return part == parts_.size();
}

bool Glob::matches(std::string_view path, bool is_directory) const {
    if (path.empty() || (directories_only_ && !is_directory)) return false;
    if (last_part_only_) {
        const std::string_view name = path.substr(path.rfind('/') + 1);
        return parts_.front().any_depth || part_matches(parts_.front(), name);
    }
    return parts_match(split(path, '/'));
}

}  // namespace azlock
