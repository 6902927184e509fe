// Which word was meant, if one is misspelt.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace azlock {

// The candidate that needs the fewest changes (a letter added, dropped, replaced or swapped with the next one), or of
// which `word` is the beginning. Nullopt if none is near enough to be meant.
[[nodiscard]] std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace azlock
