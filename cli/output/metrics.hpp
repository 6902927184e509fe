// Numbers in the text format of Prometheus (version 0.0.4), as node_exporter's textfile collector reads it.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace azlock::cli {

class Metrics {
  public:
    // Values may be any text; names are as the format wants them.
    using Labels = std::vector<std::pair<std::string_view, std::string>>;

    // Begins a metric; its samples follow. `help`: one line.
    void gauge(std::string_view name, std::string_view help);
    void sample(const Labels& labels, std::uint64_t value);
    // In seconds.
    void sample(const Labels& labels, std::chrono::milliseconds value);

    // Ends with a newline.
    [[nodiscard]] const std::string& text() const { return text_; }

  private:
    void add(const Labels& labels, const std::string& value);

    std::string name_;
    std::string text_;
};

}  // namespace azlock::cli
