#include "cli/output/progress_display.hpp"

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <deque>
#include <mutex>

#include <unistd.h>

#include "base/quantity.hpp"
#include "cli/output/color.hpp"

namespace azlock::cli {
namespace {

using std::chrono::milliseconds;

// The rate is the average of this time.
constexpr milliseconds kRateSpan{5'000};

milliseconds interval(ProgressStyle style) {
    if (style == ProgressStyle::terminal) return milliseconds(200);
    return style == ProgressStyle::json ? milliseconds(1'000) : milliseconds(30'000);
}

std::string rate_text(double rate) {
    return format_bytes(static_cast<std::uint64_t>(rate)) + "/s";
}

}  // namespace

ProgressStyle progress_style(const Output& output, bool json_events) {
    if (json_events) return ProgressStyle::json;
    if (output.json() || output.quiet()) return ProgressStyle::none;
    return is_able_terminal(STDERR_FILENO) ? ProgressStyle::terminal : ProgressStyle::notices;
}

std::string progress_text(const ProgressView& v) {
    const std::uint64_t done = v.sent + v.reused + v.moving;
    std::string out = format_bytes(v.total > 0 ? std::min(done, v.total) : done);
    if (v.total > 0) {
        const auto percent = std::min<std::uint64_t>(
            100, static_cast<std::uint64_t>(100.0 * static_cast<double>(done) / static_cast<double>(v.total)));
        out += " of " + format_bytes(v.total) + ", " + std::to_string(percent) + " %";
    }
    if (v.files > 1) out += ", " + std::to_string(v.files_done) + " of " + std::to_string(v.files) + " files";
    out += ", " + rate_text(v.rate);
    if (v.total > done && v.rate >= 1) {
        const double left = std::ceil(static_cast<double>(v.total - done) / v.rate);
        if (left < 1e8) out += ", " + format_duration(std::chrono::seconds(static_cast<std::int64_t>(left))) + " left";
    }
    if (v.reused > 0) out += ", " + format_bytes(v.reused) + " reused";
    if (v.retries > 0) out += ", " + format_count(v.retries, "retry", "retries");
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

ProgressDisplay::ProgressDisplay(ProgressStyle style, Output& output, Clock& clock, const ops::Progress& progress,
                                 std::function<std::uint64_t()> retries)
    : style_(style),
      output_(output),
      clock_(clock),
      progress_(progress),
      retries_(std::move(retries)),
      start_(clock.now()) {
    if (style_ != ProgressStyle::none) thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

ProgressDisplay::~ProgressDisplay() {
    if (!thread_.joinable()) return;
    thread_.request_stop();
    thread_.join();
    if (style_ == ProgressStyle::terminal) output_.status({});
    if (style_ == ProgressStyle::json) output_.event(progress_json(view()));
}

ProgressView ProgressDisplay::view() const {
    return {progress_.total,
            progress_.sent,
            progress_.reused,
            progress_.moving,
            progress_.files,
            progress_.files_done,
            retries_(),
            0,
            std::chrono::duration_cast<milliseconds>(clock_.now() - start_)};
}

void ProgressDisplay::run(const std::stop_token& stop) {
    struct Sample {
        BootTime at;
        std::uint64_t bytes;
    };
    std::deque<Sample> samples{{start_, 0}};
    // In real time: a test's clock jumps when a thread waits, and this thread must not move the time of the transfer.
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock lock(mutex);
    for (;;) {
        never.wait_for(lock, stop, interval(style_), [] { return false; });
        if (stop.stop_requested()) return;
        ProgressView v = view();
        const BootTime now = clock_.now();
        samples.push_back({now, v.sent + v.moving});
        while (samples.size() > 2 && now - samples[1].at >= kRateSpan) samples.pop_front();
        const double seconds = std::chrono::duration<double>(now - samples.front().at).count();
        const std::uint64_t before = samples.front().bytes;
        if (seconds > 0 && samples.back().bytes > before) {
            v.rate = static_cast<double>(samples.back().bytes - before) / seconds;
        }
        switch (style_) {
            case ProgressStyle::terminal: output_.status(progress_text(v)); break;
            case ProgressStyle::notices: output_.notice(progress_text(v)); break;
            case ProgressStyle::json: output_.event(progress_json(v)); break;
            case ProgressStyle::none: break;
        }
    }
}

}  // namespace azlock::cli
