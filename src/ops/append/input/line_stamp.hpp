// The text before each line: the time and a fixed prefix.
#pragma once

#include "base/clock.hpp"
#include "base/result.hpp"

namespace azlock::ops {

// Pure; thread-safe.
class LineStamp {
  public:
    // Longest stamp, bytes.
    static constexpr std::size_t kMax = 2048;

    struct Options {
        bool timestamp = false;
        std::string format;  // of strftime(3), in UTC; empty: RFC 3339 with microseconds
        std::string prefix;  // follows the time, unchanged
    };
    // Error (usage): the format gives nothing, too much or a line break; the prefix is too long or has a line break.
    [[nodiscard]] static Result<LineStamp> make(const Options& options);

    // Returns "2026-11-21T08:00:00.123456Z " and the prefix.
    [[nodiscard]] std::string at(WallTime now) const;

  private:
    explicit LineStamp(const Options& options) : options_(options) {}
    Options options_;
};

}  // namespace azlock::ops
