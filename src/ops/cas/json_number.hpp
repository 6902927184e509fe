// Numbers of JSON documents by their text, so that none is rounded.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace azlock::ops {

// The exact value of a number: 0.digits times 10 to the power of the exponent. Equal values have equal members.
struct Decimal {
    bool negative = false;
    std::string digits;  // without leading and trailing zeros; empty for 0
    std::int64_t exponent = 0;

    friend bool operator==(const Decimal&, const Decimal&) = default;
};

// `text` is a number as JSON writes it. nullopt: its exponent has more than nine digits.
[[nodiscard]] std::optional<Decimal> read_decimal(std::string_view text);

}  // namespace azlock::ops
