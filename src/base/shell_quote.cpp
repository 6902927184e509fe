#include "base/shell_quote.hpp"

namespace azlock {

std::string shell_quoted(const std::string& text) {
    std::string out = "'";
    for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
}

std::string shell_word(const std::string& text) {
    constexpr const char* kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./:=,+@%";
    return !text.empty() && text.find_first_not_of(kPlain) == std::string::npos ? text : shell_quoted(text);
}

}  // namespace azlock
