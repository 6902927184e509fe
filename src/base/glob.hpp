// Patterns for relative paths, as .gitignore and rsync users write them: *, ?, [...], **.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace azlock {

//  * '*' matches any run of characters within a part of the path (between slashes), '?' one character, [a-z] one of a
//    set, [!a-z] or [^a-z] one that is not in it; a backslash takes the special meaning from the next character.
//    A hidden name is a name like any other. A character is one of UTF-8, or a single byte that is not UTF-8.
//  * '**' as a whole part matches any number of parts, also none; at the end ("logs/**") at least one.
//  * A pattern without a slash matches the last part of a path, at any depth. With one at its start or within it, it
//    matches the whole path. One at its end lets it match directories only.
class Glob {
  public:
    // Error (usage): an empty pattern, an unclosed or empty set, a range that goes backwards, a backslash at the end, a
    // named class such as [:digit:], or a part ".." (no path has one).
    [[nodiscard]] static Result<Glob> parse(std::string_view pattern);

    // `path`: relative, parts separated by single slashes, not ending in one. Takes time proportional to its length
    // times that of the pattern, whatever the pattern.
    [[nodiscard]] bool matches(std::string_view path, bool is_directory) const;

  private:
    struct Token {
        enum class Kind { literal, any, run, set };
        Kind kind = Kind::literal;
        char32_t literal = 0;
        bool negated = false;
        std::vector<std::pair<char32_t, char32_t>> ranges;  // of a set
    };
    struct Part {
        bool any_depth = false;  // "**"
        std::vector<Token> tokens;
    };

    [[nodiscard]] static Result<Part> parse_part(std::string_view text, std::string_view pattern);
    [[nodiscard]] static Result<Token> parse_set(std::string_view text, std::size_t& at, std::string_view pattern);
    [[nodiscard]] static bool one_matches(const Token& token, char32_t character);
    [[nodiscard]] static bool part_matches(const Part& part, std::string_view text);
    [[nodiscard]] bool parts_match(const std::vector<std::string_view>& path) const;

    std::vector<Part> parts_;
    bool last_part_only_ = false;
    bool directories_only_ = false;
};

}  // namespace azlock
