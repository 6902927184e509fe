// Dates, Retry-After and header fields as a server may send them.
#include <map>
#include <vector>

#include "azure/shared_key.hpp"
#include "base/http_date.hpp"
#include "base/text.hpp"
#include "fuzz_support.hpp"
#include "http/response_head.hpp"
#include "http/retry.hpp"
#include "support/seeded_random.hpp"

using namespace azlock;
using namespace azlock::fuzz;

namespace {

const WallTime kNow = WallTime(std::chrono::seconds(1'435'361'952));

void check_date(std::string_view text) {
    const auto time = parse_http_date(text);
    if (!time) return;
    const std::string written = format_http_date(*time);
    require(parse_http_date(written) == time, "a date is read as it was written", text);
    // The weekday is not checked, and second 60 is written as the next minute.
    if (text.substr(23, 2) != "60") require(written.substr(3) == text.substr(3), "a date is kept", text);
    require(format_iso8601(*time).size() == 20, "ISO 8601 has a fixed length", text);
}

void check_iso8601(std::string_view text) {
    const auto time = parse_iso8601(text);
    // A zone can move a time out of the years that are read.
    if (!time || *time < WallTime() || format_iso8601(*time).starts_with("2262")) return;
    require(parse_iso8601(format_iso8601(*time)) == time, "a time is read as it was written", text);
}

void check_retry_after(const http::Headers& headers) {
    const http::RetryPolicy policy;
    SeededRandom random(1);
    const auto wait = http::retry_after(headers, kNow);
    if (wait) require(wait->count() >= 0, "a wait is not negative");
    for (const int retry : {1, 5, 1'000}) {
        const auto slept = http::backoff(policy, retry, wait, random);
        require(slept.count() >= 0 && slept <= std::max(policy.cap, policy.retry_after_cap), "a wait is bounded");
        if (wait) require(slept >= std::min(*wait, policy.retry_after_cap), "the service's wish is respected");
    }
}

// Headers behave like a map of lower-case names.
http::Headers check_headers(std::string_view text) {
    http::Headers headers;
    std::map<std::string, std::string> model;
    while (!text.empty()) {
        const std::string_view line = take_line(text);
        const std::size_t colon = line.find(':');
        const std::string name(line.substr(0, colon));
        if (colon == std::string_view::npos) {
            headers.remove(name);
            model.erase(to_lower(name));
        } else {
            const std::string value(trim(line.substr(colon + 1)));
            headers.set(name, value);
            model[to_lower(name)] = value;
        }
    }
    require(headers.size() == model.size(), "a field occurs once");
    for (const auto& [name, value] : model) {
        require(headers.has(name) && headers.get(name) == value, "a field is found in any case", name);
    }
    return headers;
}

void check_order(const http::Headers& headers) {
    std::vector<std::string> names;
    for (const auto& field : headers) names.push_back(to_lower(field.first));
    if (names.size() > 8) names.resize(8);
    using azure::header_name_less;
    for (const auto& a : names) {
        require(!header_name_less(a, a), "no name comes before itself", a);
        for (const auto& b : names) {
            require(!(header_name_less(a, b) && header_name_less(b, a)), "one of two names comes first", a);
            for (const auto& c : names) {
                if (header_name_less(a, b) && header_name_less(b, c)) {
                    require(header_name_less(a, c), "the order of names is transitive", a);
                }
            }
        }
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text = as_text(data, size);
    check_date(text);
    std::string_view rest = text;
    const std::string_view line = trim(take_line(rest));
    check_date(line);
    check_iso8601(line);
    const http::Headers headers = check_headers(text);
    for (const auto& field : headers) check_date(field.second);
    check_retry_after(headers);
    check_order(headers);
    http::Headers only;
    only.set("Retry-After", std::string(text));
    check_retry_after(only);
    return 0;
}
