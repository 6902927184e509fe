#include "ops/append/input/line_stamp.hpp"

#include <array>
#include <cstdio>
#include <ctime>

#include "base/text.hpp"

namespace azlock::ops {
namespace {

std::string formatted(const std::string& format, const std::tm& time) {
    std::array<char, LineStamp::kMax / 2> text{};
    return {text.data(), std::strftime(text.data(), text.size(), format.c_str(), &time)};
}

}  // namespace

Result<LineStamp> LineStamp::make(const Options& options) {
    if (options.prefix.size() > kMax / 2 || options.prefix.find('\n') != std::string::npos) {
        return fail(ErrorCode::usage, "--prefix: it takes at most 1024 bytes, without a line break");
    }
    LineStamp stamp(options);
    if (options.timestamp && !options.format.empty()) {
        const std::string example = formatted(options.format, std::tm{});
        if (example.empty() || example.find('\n') != std::string::npos ||
            options.format.find('\0') != std::string::npos) {
            return fail(ErrorCode::usage,
                        "--timestamp: " + in_quotes(options.format) + " does not give a time in one line",
                        "write the format as for date(1): --timestamp='%Y-%m-%d %H:%M:%S'");
        }
    }
    return stamp;
}

std::string LineStamp::at(WallTime now) const {
    if (!options_.timestamp) return options_.prefix;
    const auto seconds = std::chrono::floor<std::chrono::seconds>(now);
    const std::time_t count = seconds.time_since_epoch().count();
    std::tm time{};
    gmtime_r(&count, &time);
    if (!options_.format.empty()) return formatted(options_.format, time) + ' ' + options_.prefix;
    const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(now - seconds).count();
    std::array<char, 16> fraction{};
    const int length = std::snprintf(fraction.data(), fraction.size(), ".%06dZ ", static_cast<int>(micros));
    return formatted("%Y-%m-%dT%H:%M:%S", time) + std::string(fraction.data(), static_cast<std::size_t>(length)) +
           options_.prefix;
}

}  // namespace azlock::ops
