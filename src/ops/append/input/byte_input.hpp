// Where an appender's bytes come from, before they are cut into lines and batches.
#pragma once

#include <cstddef>
#include <span>

#include "base/clock.hpp"
#include "base/result.hpp"

namespace azlock::ops {

// One thread reads. A stop, which is given to the implementation, ends the input soon: what has been written to it by
// then is still read.
class ByteInput {
  public:
    virtual ~ByteInput() = default;

    enum class Got {
        bytes,
        nothing,   // `until` came first
        boundary,  // one file of several has ended
        end,
    };
    struct Read {
        Got got = Got::nothing;
        std::size_t size = 0;  // with `bytes`: how many, at least one
    };
    [[nodiscard]] virtual Result<Read> read(std::span<std::byte> out, Deadline until) = 0;
};

}  // namespace azlock::ops
