#include "http/response_head.hpp"

#include <algorithm>
#include <charconv>

#include "base/text.hpp"

namespace azlock::http {
namespace {

// "HTTP/1.x NNN[ reason]"
std::optional<int> parse_status_line(std::string_view line) {
    if (!line.starts_with("HTTP/1.") || line.size() < 12 || !is_digit(line[7]) || line[8] != ' ') return std::nullopt;
    if (!std::all_of(line.begin() + 9, line.begin() + 12, is_digit)) return std::nullopt;
    if (line.size() > 12 && line[12] != ' ') return std::nullopt;
    const int status = (line[9] - '0') * 100 + (line[10] - '0') * 10 + (line[11] - '0');
    return status >= 100 ? std::optional(status) : std::nullopt;
}

// Decodes chunked coding as far as the bytes go. True if the last chunk was reached.
bool decode_chunks(std::string_view raw, std::string& out) {
    for (;;) {
        const std::size_t end = raw.find("\r\n");
        if (end == std::string_view::npos) return false;
        const std::string_view digits = trim(raw.substr(0, std::min(end, raw.find(';'))));
        if (digits.empty() || digits.size() > 15) return false;
        std::uint64_t size = 0;
        const auto [stop, wrong] = std::from_chars(digits.data(), digits.data() + digits.size(), size, 16);
        if (wrong != std::errc() || stop != digits.data() + digits.size()) return false;
        raw.remove_prefix(end + 2);
        if (size == 0) return true;
        out.append(raw.substr(0, size));
        if (raw.size() < size + 2) return false;
        raw.remove_prefix(size + 2);
    }
}

}  // namespace

std::optional<ResponseHead> parse_response_head(std::string_view raw) {
    const std::size_t end = raw.find("\r\n\r\n");
    if (end == std::string_view::npos) return std::nullopt;
    ResponseHead head;
    head.size = end + 4;
    std::string_view rest = raw.substr(0, end);
    const auto next_line = [&rest] {
        const std::size_t stop = std::min(rest.find("\r\n"), rest.size());
        const std::string_view line = rest.substr(0, stop);
        rest.remove_prefix(std::min(stop + 2, rest.size()));
        return line;
    };
    const auto status = parse_status_line(next_line());
    if (!status) return std::nullopt;
    head.status = *status;
    while (!rest.empty()) {
        const std::string_view line = next_line();
        const std::size_t colon = line.find(':');
        if (colon == std::string_view::npos) continue;
        const std::string_view name = trim(line.substr(0, colon));
        std::string value(trim(line.substr(colon + 1)));
        if (const std::string* before = head.headers.find(name)) value = *before + ", " + value;
        head.headers.set(name, std::move(value));
    }
    return head;
}

std::optional<RawAnswer> parse_raw_answer(std::string_view raw, bool head_only) {
    auto head = parse_response_head(raw);
    while (head && head->status < 200) {
        raw.remove_prefix(head->size);
        head = parse_response_head(raw);
    }
    if (!head) return std::nullopt;
    raw.remove_prefix(head->size);
    RawAnswer answer;
    answer.response.status = head->status;
    answer.response.headers = std::move(head->headers);
    const Headers& headers = answer.response.headers;
    if (head_only || head->status == 204 || head->status == 304) {
        answer.complete = true;
    } else if (to_lower(headers.get("Transfer-Encoding")).find("chunked") != std::string::npos) {
        answer.complete = decode_chunks(raw, answer.response.body);
    } else if (const auto length = parse_u64(headers.get("Content-Length"))) {
        answer.response.body = raw.substr(0, *length);
        answer.complete = raw.size() >= *length;
    } else {
        answer.response.body = raw;
        answer.complete = true;  // delimited by the end of the connection
    }
    return answer;
}

}  // namespace azlock::http
