// The source of the bytes that an appender cuts into batches.
#pragma once

#include <cstddef>
#include <span>

#include "base/clock.hpp"
#include "base/result.hpp"

namespace azlock::ops {

// One thread reads. The implementation gets a stop token: a stop ends the input soon. Bytes that were written to the
// input before the stop are still read.
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
