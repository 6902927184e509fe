#include "cli/output/metrics.hpp"

#include <cstdio>

#include "base/encoding.hpp"
#include "base/text.hpp"

namespace azlock::cli {
namespace {

std::string label_value(const std::string& text) {
    std::string out;
    for (const char c : is_utf8(text) ? text : printable(text)) {
        if (c == '\\' || c == '"') out += '\\';
        out += c == '\n' ? std::string("\\n") : std::string(1, c);
    }
    return out;
}

}  // namespace

void Metrics::gauge(std::string_view name, std::string_view help) {
    name_ = name;
    text_.append("# HELP ").append(name).append(" ").append(help);
    text_.append("\n# TYPE ").append(name).append(" gauge\n");
}

void Metrics::sample(const Labels& labels, std::uint64_t value) {
    add(labels, std::to_string(value));
}

void Metrics::sample(const Labels& labels, std::chrono::milliseconds value) {
    char text[40];
    std::snprintf(text, sizeof text, "%.3f", static_cast<double>(value.count()) / 1000);
    add(labels, text);
}

void Metrics::add(const Labels& labels, const std::string& value) {
    text_ += name_;
    char before = '{';
    for (const auto& [name, text] : labels) {
        text_.append(1, before).append(name).append("=\"").append(label_value(text)).append("\"");
        before = ',';
    }
    text_ += labels.empty() ? " " : "} ";
    text_ += value + "\n";
}

}  // namespace azlock::cli
