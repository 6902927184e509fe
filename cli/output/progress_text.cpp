#include "cli/output/progress_text.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "base/quantity.hpp"

namespace azlock::cli {
namespace {

constexpr std::size_t kShortestBar = 10;  // columns, with its brackets
constexpr std::size_t kLongestBar = 42;
constexpr std::size_t kShortestName = 8;
constexpr std::size_t kLongestName = 40;
constexpr std::size_t kGap = 2;
constexpr std::size_t kLowScreen = 8;  // rows; a lower one shows no files that are under way

constexpr const char* kGreen = "\x1b[32m";
constexpr const char* kYellow = "\x1b[33m";
constexpr const char* kPlain = "\x1b[0m";

std::uint64_t percent(std::uint64_t done, std::uint64_t total) {
    if (done >= total) return 100;
    return static_cast<std::uint64_t>(100.0 * static_cast<double>(done) / static_cast<double>(total));
}

std::string percent_text(std::uint64_t done, std::uint64_t total) {
    return std::to_string(percent(done, total)) + " %";
}

// What there is to say; empty: nothing.
struct Facts {
    std::string percent, amount, files, items, rate, left, elapsed, reused, retries;
};

Facts facts_of(const ProgressView& v) {
    Facts out;
    const std::uint64_t done = v.total > 0 ? std::min(v.done(), v.total) : v.done();
    if (v.total > 0) {
        out.percent = percent_text(done, v.total);
        out.amount = format_bytes(done) + " of " + format_bytes(v.total);
    } else if (v.unit.empty()) {
        out.amount = format_bytes(done);
    }
    if (v.compares()) out.amount += " compared";
    if (v.files > 1) out.files = std::to_string(v.files_done) + " of " + std::to_string(v.files) + " files";
    if (!v.unit.empty()) out.items = format_count(v.items, v.unit);
    if (out.amount.empty()) {
        out.elapsed = format_duration(std::chrono::floor<std::chrono::seconds>(v.elapsed));
    } else {
        out.rate = format_bytes(static_cast<std::uint64_t>(v.rate)) + "/s";
    }
    if (v.total > done && v.rate >= 1) {
        const double left = std::ceil(static_cast<double>(v.total - done) / v.rate);
        if (left < 1e8) out.left = format_duration(std::chrono::seconds(static_cast<std::int64_t>(left))) + " left";
    }
    if (v.reused_blocks > 0) {
        out.reused = format_count(v.reused_blocks, "block") + " (" + format_bytes(v.reused) + ") reused";
    } else if (v.reused > 0) {
        out.reused = format_bytes(v.reused) + " reused";
    }
    if (v.retries > 0) out.retries = format_count(v.retries, "retry", "retries");
    return out;
}

std::string bar(std::uint64_t done, std::uint64_t total, std::size_t columns, bool color) {
    const std::size_t inside = columns - 2;
    const auto filled = static_cast<std::size_t>(
        static_cast<double>(inside) * static_cast<double>(std::min(done, total)) / static_cast<double>(total));
    std::string full(filled, '=');
    if (filled > 0 && filled < inside) full.back() = '>';
    if (color && filled > 0) full = kGreen + full + kPlain;
    return "[" + full + std::string(inside - filled, ' ') + "]";
}

// One line, filled field by field, the most important ones first.
class Line {
  public:
    explicit Line(std::size_t columns) : room_(columns) {}

    [[nodiscard]] std::size_t room() const { return room_ > gap() ? room_ - gap() : 0; }
    // Takes the place of a field that needs these columns; false if there is no room.
    bool take(std::size_t columns) {
        if (columns == 0 || columns > room()) return false;
        room_ -= columns + gap();
        begun_ = true;
        return true;
    }

  private:
    [[nodiscard]] std::size_t gap() const { return begun_ ? kGap : 0; }

    std::size_t room_;
    bool begun_ = false;
};

std::string joined(const std::vector<std::string>& fields, const char* between) {
    std::string out;
    for (const std::string& field : fields) {
        if (!field.empty()) out += (out.empty() ? "" : between) + field;
    }
    return out;
}

// `reserves`: columns to leave for other fields, the most first; as many as a name of some length allows.
std::string name_for(const std::string& name, std::size_t room, std::initializer_list<std::size_t> reserves) {
    const std::size_t shortest = std::min(kShortestName, columns_of(name));
    for (const std::size_t reserve : reserves) {
        if (room >= shortest + reserve) return shortened(name, std::min(room - reserve, kLongestName));
    }
    return {};
}

std::string whole_line(const ProgressView& v, std::size_t columns, bool color) {
    Facts facts = facts_of(v);
    Line line(columns);
    const bool bytes_first = facts.percent.empty();
    const auto keep = [&](std::string& field) {
        if (!line.take(field.size())) field.clear();
    };
    keep(facts.percent);
    if (bytes_first) keep(facts.items);
    if (bytes_first) keep(facts.amount);
    keep(facts.left);
    keep(facts.rate);
    keep(facts.elapsed);
    if (!bytes_first) keep(facts.amount);
    keep(facts.files);
    if (!bytes_first) keep(facts.items);
    keep(facts.retries);
    const std::size_t for_reused = facts.reused.empty() ? 0 : kGap + facts.reused.size();
    const std::size_t for_bar = v.total > 0 ? kGap + kShortestBar : 0;
    std::string name = name_for(v.name, line.room(), {for_bar + for_reused, for_bar, 0});
    if (!line.take(columns_of(name))) name.clear();
    std::string progress_bar;
    const bool bar_first = for_bar > 0 && line.room() >= kShortestBar && line.room() < kShortestBar + for_reused;
    if (bar_first) facts.reused.clear();
    keep(facts.reused);
    if (const std::size_t length = std::min(line.room(), kLongestBar); for_bar > 0 && length >= kShortestBar) {
        progress_bar = bar(v.done(), v.total, length, color);
    }
    if (color && !facts.retries.empty()) facts.retries = kYellow + facts.retries + kPlain;
    return joined({name, facts.percent, progress_bar, facts.items, facts.amount, facts.files, facts.rate, facts.left,
                   facts.elapsed, facts.reused, facts.retries},
                  "  ");
}

std::string part_line(const ops::Progress::Part& part, std::size_t columns) {
    const std::string indent(kGap, ' ');
    Line line(columns - kGap);
    std::string share = part.total > 0 ? percent_text(part.done, part.total) : std::string();
    if (!line.take(share.size())) share.clear();
    std::string size = "of " + format_bytes(part.total);
    const std::string name = name_for(part.name, line.room(), {kGap + size.size(), 0});
    (void)line.take(columns_of(name));
    if (!line.take(size.size())) size.clear();
    return indent + joined({name, share, size}, "  ");
}

}  // namespace

std::string progress_text(const ProgressView& v) {
    const Facts f = facts_of(v);
    const std::string text =
        joined({f.items, f.amount, f.percent, f.files, f.rate, f.left, f.elapsed, f.reused, f.retries}, ", ");
    return v.name.empty() ? text : v.name + ": " + text;
}

std::vector<std::string> progress_lines(const ProgressView& v, const TerminalSize& size, bool color) {
    const std::size_t columns = std::max<std::size_t>(size.columns, 2) - 1;
    std::vector<std::string> out{whole_line(v, columns, color)};
    if (v.files > 1 && size.rows >= kLowScreen && columns >= kShortestName + 2 * kGap) {
        for (const ops::Progress::Part& part : v.parts) {
            if (out.size() <= kMostShownParts) out.push_back(part_line(part, columns));
        }
    }
    return out;
}

Json progress_json(const ProgressView& v) {
    Json out;
    out["event"] = "progress";
    out["total"] = v.total == 0 ? Json() : Json(v.total);
    out["sent"] = v.sent;
    out["moving"] = v.moving;
    out["reused"] = v.reused;
    out["files"] = v.files;
    out["files_done"] = v.files_done;
    out["retries"] = v.retries;
    out["bytes_per_second"] = static_cast<std::uint64_t>(v.rate);
    out["seconds"] = static_cast<double>(v.elapsed.count()) / 1000.0;
    return out;
}

}  // namespace azlock::cli
