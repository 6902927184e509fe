// Result<T>: a value or an Error. Ordinary failures are values; exceptions are for bugs.
#pragma once

#include <utility>

#include <tl/expected.hpp>

#include "base/error.hpp"

namespace azlock {

template <typename T>
using Result = tl::expected<T, Error>;

using Status = Result<void>;

// `return fail(ErrorCode::usage, "...")` and `return fail(other.error())`.
[[nodiscard]] inline tl::unexpected<Error> fail(Error error) {
    return tl::unexpected<Error>(std::move(error));
}
[[nodiscard]] inline tl::unexpected<Error> fail(ErrorCode code, std::string message, std::string hint = {}) {
    return tl::unexpected<Error>(make_error(code, std::move(message), std::move(hint)));
}

}  // namespace azlock
