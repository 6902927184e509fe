// Durations and sizes from the command line and the configuration.
#include <cmath>
#include <cstring>

#include "base/quantity.hpp"
#include "fuzz_support.hpp"

using namespace azlock;
using namespace azlock::fuzz;

namespace {

void check_duration(std::string_view text) {
    const auto span = parse_duration(text);
    if (!span) {
        require(span.error().code == ErrorCode::usage, "a bad duration is a usage error");
        return require_presentable(span.error(), {});
    }
    require(span->count() >= 0 && *span <= std::chrono::hours(24) * 36'500, "a duration is in its bounds", text);
    require(parse_duration(std::to_string(span->count()) + "ms") == *span, "a duration can be written exactly", text);
    require(is_one_line(format_duration(*span)), "a shown duration is one line");
}

void check_size(std::string_view text) {
    const auto bytes = parse_size(text);
    if (!bytes) {
        require(bytes.error().code == ErrorCode::usage, "a bad size is a usage error");
        return require_presentable(bytes.error(), {});
    }
    require(parse_size(std::to_string(*bytes)) == *bytes, "a size can be written exactly", text);
}

void check_shown(std::uint64_t bytes) {
    std::string shown = format_bytes(bytes);
    shown.erase(shown.find(' '), 1);
    if (shown == "16EiB") return;  // rounded up past what a size can be
    const auto read = parse_size(shown);
    require(read.has_value(), "a shown size can be read", shown);
    const double error = std::abs(static_cast<double>(*read) - static_cast<double>(bytes));
    require(error <= 0.05 * static_cast<double>(bytes) + 0.5, "a shown size is nearly the size", shown);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text = as_text(data, size);
    check_duration(text);
    check_size(text);
    std::uint64_t number = 0;
    std::memcpy(&number, data, std::min(size, sizeof number));
    check_shown(number);
    const std::string shown = format_duration(std::chrono::milliseconds(static_cast<std::int64_t>(number)));
    require(!shown.empty() && shown.size() < 40, "a shown duration is short", shown);
    return 0;
}
