// Words for a POSIX shell.
#pragma once

#include <string>

namespace azlock {

// In single quotes.
[[nodiscard]] std::string shell_quoted(const std::string& text);
// The same, but a word that needs no quotes stays as it is.
[[nodiscard]] std::string shell_word(const std::string& text);

}  // namespace azlock
