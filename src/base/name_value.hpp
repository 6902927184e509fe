// Pairs as users write them: NAME=VALUE.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/result.hpp"

namespace azlock {

// "note=a=b" -> {"note", "a=b"}; the value may be empty. Error (usage), if there is no '=' or nothing before it: it
// names `flag` and the `form` that the flag takes, such as "KEY=VALUE".
[[nodiscard]] Result<std::pair<std::string, std::string>> read_pair(std::string_view flag, std::string_view text,
                                                                    std::string_view form);

}  // namespace azlock
