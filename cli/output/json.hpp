// A JSON value to build and print; it cannot be parsed. The keys of an object keep the order in which they were set.
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/clock.hpp"

namespace azlock::cli {

class Json {
  public:
    using Member = std::pair<std::string, Json>;

    Json(std::nullptr_t = nullptr) {}
    Json(bool value) : value_(value) {}
    template <std::signed_integral T>
    Json(T value) : value_(static_cast<std::int64_t>(value)) {}
    template <std::unsigned_integral T>
    requires(!std::same_as<T, bool>) Json(T value) : value_(static_cast<std::uint64_t>(value)) {}
    Json(double value) : value_(value) {}
    Json(std::string value) : value_(std::move(value)) {}
    Json(std::string_view value) : value_(std::string(value)) {}
    Json(const char* value) : value_(std::string(value)) {}
    Json(const std::vector<std::string>& values);
    // An empty optional is null.
    template <typename T>
    Json(const std::optional<T>& value) : Json(value ? Json(*value) : Json()) {}
    Json(std::initializer_list<Member> members);
    Json(const Json& other);
    Json(Json&& other) noexcept;
    Json& operator=(const Json& other);
    Json& operator=(Json&& other) noexcept;
    ~Json();

    [[nodiscard]] static Json object() { return Json(std::initializer_list<Member>{}); }
    [[nodiscard]] static Json array();

    // The member of an object; it is added if it is missing. A null becomes an object.
    Json& operator[](std::string_view key);
    // Adds to an array. A null becomes one.
    void push_back(Json element);
    // Sets the members of another object here, too.
    void update(const Json& object);

    // Bytes that are not UTF-8 become U+FFFD. `indent` below 0: all in one line.
    [[nodiscard]] std::string dump(int indent = -1) const;

  private:
    using Elements = std::vector<Json>;
    using Members = std::vector<Member>;
    friend struct JsonWriter;
    std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string, Elements, Members> value_;
};

// Null for an empty text.
[[nodiscard]] Json or_null(const std::string& text);
// Seconds with three decimals; null if there is no span.
[[nodiscard]] Json seconds_or_null(const std::optional<std::chrono::milliseconds>& span);
// ISO 8601 in UTC; null if there is no time.
[[nodiscard]] Json date_or_null(const std::optional<WallTime>& time);

// The version of the library that writes the text.
[[nodiscard]] std::string json_version();

}  // namespace azlock::cli
