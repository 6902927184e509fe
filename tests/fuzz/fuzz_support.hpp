// What the fuzzers share: stating a property, and cutting the input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace azlock::fuzz {

// Ends the process if a property does not hold; the fuzzer then keeps the input.
inline void require(bool holds, const char* property, std::string_view detail = {}) {
    if (holds) return;
    std::fprintf(stderr, "broken: %s\n%.*s\n", property, static_cast<int>(detail.size()), detail.data());
    std::abort();
}

inline std::string_view as_text(const std::uint8_t* data, std::size_t size) {
    return {reinterpret_cast<const char*>(data), size};
}

// The text before the first line end; `rest` keeps what comes after it.
inline std::string_view take_line(std::string_view& rest) {
    const std::size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
    return line;
}

inline bool is_one_line(std::string_view text) {
    for (const char c : text) {
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) return false;
    }
    return true;
}

// The fuzzer learns planted secrets from comparisons: an input that holds one proves nothing.
inline bool knows(std::string_view text, std::string_view secret) {
    return text.find(secret.substr(0, secret.size() / 2)) != std::string_view::npos;
}

// An error for people: one line that says something, and no secret in any of its texts.
inline void require_presentable(const Error& error, std::string_view secret) {
    require(!error.message.empty(), "an error says what went wrong");
    require(error.code != ErrorCode::internal, "bad input is no bug of ours", error.message);
    require(is_one_line(error.message) && is_one_line(error.hint), "an error is one line", error.message);
    for (const std::string* text : {&error.message, &error.hint, &error.target, &error.service_code}) {
        require(secret.empty() || text->find(secret) == std::string::npos, "an error holds no secret", *text);
    }
}

}  // namespace azlock::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
