#include "cli/output/json.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/http_date.hpp"

namespace azlock::cli {

struct JsonWriter {
    using Out = nlohmann::ordered_json;

    Out operator()(std::monostate) const { return nullptr; }
    Out operator()(const Json::Elements& elements) const {
        Out out = Out::array();
        for (const Json& element : elements) out.push_back(std::visit(*this, element.value_));
        return out;
    }
    Out operator()(const Json::Members& members) const {
        Out out = Out::object();
        for (const auto& [key, value] : members) out[key] = std::visit(*this, value.value_);
        return out;
    }
    template <typename T>
    Out operator()(const T& value) const {
        return value;
    }
    static Out whole(const Json& json) { return std::visit(JsonWriter{}, json.value_); }
};

Json::Json(const std::vector<std::string>& values) : value_(Elements(values.begin(), values.end())) {}
Json::Json(std::initializer_list<Member> members) : value_(Members(members)) {}
Json::Json(const Json& other) = default;
Json::Json(Json&& other) noexcept = default;
Json& Json::operator=(const Json& other) = default;
Json& Json::operator=(Json&& other) noexcept = default;
Json::~Json() = default;

Json Json::array() {
    Json out;
    out.value_ = Elements();
    return out;
}

Json& Json::operator[](std::string_view key) {
    if (std::holds_alternative<std::monostate>(value_)) value_ = Members();
    Members& members = std::get<Members>(value_);
    const auto it = std::find_if(members.begin(), members.end(), [&](const Member& m) { return m.first == key; });
    if (it != members.end()) return it->second;
    return members.emplace_back(key, Json()).second;
}

void Json::push_back(Json element) {
    if (std::holds_alternative<std::monostate>(value_)) value_ = Elements();
    std::get<Elements>(value_).push_back(std::move(element));
}

void Json::update(const Json& object) {
    for (const auto& [key, value] : std::get<Members>(object.value_)) (*this)[key] = value;
}

std::string Json::dump(int indent) const {
    return JsonWriter::whole(*this).dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string json_version() {
    return std::to_string(NLOHMANN_JSON_VERSION_MAJOR) + "." + std::to_string(NLOHMANN_JSON_VERSION_MINOR) + "." +
           std::to_string(NLOHMANN_JSON_VERSION_PATCH);
}

Json or_null(const std::string& text) {
    return text.empty() ? Json() : Json(text);
}

Json seconds_or_null(const std::optional<std::chrono::milliseconds>& span) {
    return span ? Json(static_cast<double>(span->count()) / 1000) : Json();
}

Json date_or_null(const std::optional<WallTime>& time) {
    return time ? Json(format_iso8601(*time)) : Json();
}

}  // namespace azlock::cli
