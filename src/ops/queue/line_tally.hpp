// Tells after an error which lines have become tasks, so that the user can put the others and none twice.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ops/queue/put.hpp"

namespace azlock::ops {

class LineTally {
  public:
    enum class Fate : char { not_begun, in, not_in, unknown };
    [[nodiscard]] static Fate fate_of(const Result<std::optional<WrittenTask>>& put);

    // In the order of the lines.
    void add(std::uint64_t number, const std::string& id, Fate fate);
    // The error with what became of the lines.
    [[nodiscard]] Error told(Error error) const;

  private:
    std::uint64_t in_ = 0;
    std::uint64_t first_ = 0;
    std::uint64_t last_ = 0;  // of those that were begun
    std::string others_;      // those of them that are not in, or of which nobody can tell
    std::string unknown_;     // of which nobody can tell, with their ids
};

// Adds what to do next to what the hint says.
void add_hint(Error& error, const std::string& hint);

}  // namespace azlock::ops
