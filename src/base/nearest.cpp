#include "base/nearest.hpp"

#include <algorithm>

namespace azlock {
namespace {

// The distance of optimal string alignment.
std::size_t changes(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before_last, last(b.size() + 1), row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
            const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
        }
        before_last = last;
        last = row;
    }
    return last[b.size()];
}

}  // namespace

std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& candidates) {
    constexpr std::size_t kLongest = 64;  // no name is longer, and a long word would cost much time
    if (word.size() < 2 || word.size() > kLongest) return std::nullopt;
    std::optional<std::string> best;
    std::size_t least = word.size() < 4 ? 1 : word.size() < 9 ? 2 : 3;
    for (const std::string& candidate : candidates) {
        const std::size_t needed = candidate.starts_with(word) ? 1 : changes(word, candidate);
        if (needed > least || (best && needed == least)) continue;
        least = needed;
        best = candidate;
    }
    return best;
}

}  // namespace azlock
