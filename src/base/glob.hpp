// Patterns for relative paths, as .gitignore and rsync users write them: *, ?, [...], **.
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace azlock {

//  * '*' matches any number of characters within one part of the path (between slashes), '?' one character. [a-z]
//    matches one character of a set, [!a-z] or [^a-z] one character outside it. A backslash makes the next character
//    ordinary. Hidden names are not special. A character is one UTF-8 character, or a single byte that is not UTF-8.
//  * '**' as a whole part matches any number of parts, even none. At the end ("logs/**") it matches at least one.
//  * A pattern without a slash matches the last part of a path, at any depth. With a slash at its start or inside, it
//    matches the whole path. With a slash at its end, it matches directories only.
class Glob {
  public:
    // Error (usage): an empty pattern, two slashes together, an unclosed or empty set, a range that goes backwards, a
    // backslash at the end of a part, a named class such as [:digit:], or a part "." or ".." (no path has one; "./" at
    // the start is allowed).
    [[nodiscard]] static Result<Glob> parse(std::string_view pattern);

    // `path` is relative, has single slashes between its parts and no slash at its end. For every pattern, the time is
    // proportional to the length of the path times the length of the pattern.
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
