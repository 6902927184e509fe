#include "ops/cas/transform_text.hpp"

#include <charconv>

#include "base/text.hpp"

namespace azlock::ops {
namespace {

constexpr std::size_t kShown = 40;

// The line end of `text`. It does not belong to the number.
std::string_view line_end(std::string_view text) {
    if (text.ends_with("\r\n")) return "\r\n";
    return text.ends_with('\n') ? "\n" : "";
}

Error not_a_number(std::string_view content) {
    std::string shown = printable(content.substr(0, kShown));
    if (content.size() > kShown) shown += "...";
    return make_error(ErrorCode::data, "the blob's content '" + shown + "' is not a 64-bit integer",
                      "--add is for blobs that hold one number and nothing else");
}

}  // namespace

std::optional<std::int64_t> parse_i64(std::string_view text) {
    if (text.starts_with('+')) {
        text.remove_prefix(1);
        if (text.starts_with('-')) return std::nullopt;
    }
    std::int64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, value);
    if (result.ec != std::errc() || result.ptr != end) return std::nullopt;
    return value;
}

CasTransform add_integer(std::int64_t amount) {
    return [amount](const CasInput& input, const azure::Call&) -> Result<CasOutput> {
        const std::string_view text = input.text();
        const std::string_view ending = line_end(text);
        std::int64_t value = 0;
        if (!text.empty()) {
            const auto number = parse_i64(text.substr(0, text.size() - ending.size()));
            if (!number) return fail(not_a_number(text));
            value = *number;
        }
        std::int64_t sum = 0;
        if (__builtin_add_overflow(value, amount, &sum)) {
            return fail(ErrorCode::data, "the sum of " + std::to_string(value) + " and " + std::to_string(amount) +
                                             " does not fit into 64 bits");
        }
        CasOutput out;
        out.value = sum;
        out.content = std::to_string(sum) + std::string(ending);
        return out;
    };
}

CasTransform append_line(std::string line) {
    return [line = std::move(line)](const CasInput& input, const azure::Call&) -> Result<CasOutput> {
        const std::string_view text = input.text();
        const std::size_t first = text.find('\n');
        const bool crlf = first != std::string_view::npos && first > 0 && text[first - 1] == '\r';
        const std::string_view ending = crlf ? "\r\n" : "\n";
        CasOutput out;
        out.content.reserve(text.size() + line.size() + 2 * ending.size());
        out.content += text;
        if (!text.empty() && !text.ends_with('\n')) out.content += ending;
        out.content += line;
        out.content += ending;
        return out;
    };
}

CasTransform replace_by(std::string content) {
    return [content = std::move(content)](const CasInput&, const azure::Call&) -> Result<CasOutput> {
        return CasOutput{false, content};
    };
}

}  // namespace azlock::ops
