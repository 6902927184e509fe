#include "cli/output/progress_display.hpp"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <system_error>

#include <unistd.h>

#include "base/secret.hpp"
#include "base/text.hpp"
#include "cli/output/color.hpp"

namespace azlock::cli {
namespace {

using std::chrono::milliseconds;

// A command that is over sooner shows nothing on a terminal.
constexpr milliseconds kBeforeFirst{500};

milliseconds interval(ProgressStyle style) {
    if (style == ProgressStyle::terminal) return milliseconds(200);
    return style == ProgressStyle::json ? milliseconds(1'000) : milliseconds(30'000);
}

std::string name_to_show(const std::string& name) {
    return redact(printable(name));
}

// Bytes per second: the average of the last seconds.
class Rate {
  public:
    explicit Rate(BootTime start) : samples_{{start, 0}} {}

    double at(BootTime now, std::uint64_t bytes) {
        if (bytes < samples_.back().bytes) samples_ = {{now, bytes}};  // something has begun anew
        samples_.push_back({now, bytes});
        while (samples_.size() > 2 && now - samples_[1].at >= kSpan) samples_.pop_front();
        const double seconds = std::chrono::duration<double>(now - samples_.front().at).count();
        return seconds > 0 ? static_cast<double>(bytes - samples_.front().bytes) / seconds : 0;
    }

  private:
    static constexpr milliseconds kSpan{5'000};
    struct Sample {
        BootTime at;
        std::uint64_t bytes;
    };
    std::deque<Sample> samples_;
};

}  // namespace

ProgressStyle progress_style(const Output& output, bool json_events, Stdout data) {
    if (json_events) return ProgressStyle::json;
    if (output.json() || output.quiet()) return ProgressStyle::none;
    if (data == Stdout::meanwhile && ::isatty(STDOUT_FILENO) == 1) return ProgressStyle::none;
    return is_able_terminal(STDERR_FILENO) ? ProgressStyle::terminal : ProgressStyle::notices;
}

ProgressDisplay::ProgressDisplay(ProgressStyle style, Output& output, Clock& clock, const ops::Progress& progress,
                                 std::function<std::uint64_t()> retries)
    : style_(style),
      output_(output),
      clock_(clock),
      progress_(progress),
      retries_(std::move(retries)),
      start_(clock.now()) {
    if (style_ == ProgressStyle::none) return;
    try {
        thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
    } catch (const std::system_error&) {
        style_ = ProgressStyle::none;  // the command does without a display if the system has no thread for it
    }
}

bool ProgressDisplay::end() {
    if (thread_.joinable()) {
        thread_.request_stop();
        thread_.join();
        if (style_ == ProgressStyle::terminal) output_.status({});
        if (style_ == ProgressStyle::json) output_.event(progress_json(view()));
    }
    return shown_;
}

ProgressView ProgressDisplay::view() const {
    ProgressView out;
    out.name = name_to_show(progress_.name);
    out.unit = progress_.unit == nullptr ? "" : progress_.unit;
    out.total = progress_.total;
    out.sent = progress_.sent;
    out.reused = progress_.reused;
    out.reused_blocks = progress_.reused_blocks;
    out.moving = progress_.moving;
    out.compared = progress_.compared;
    out.files = progress_.files;
    out.files_done = progress_.files_done;
    out.items = progress_.items;
    out.retries = retries_() + progress_.retries;
    out.parts = progress_.parts(kMostShownParts);
    for (ops::Progress::Part& part : out.parts) part.name = name_to_show(part.name);
    out.elapsed = std::chrono::duration_cast<milliseconds>(clock_.now() - start_);
    return out;
}

void ProgressDisplay::run(const std::stop_token& stop) {
    Rate rate(start_);
    // In real time: a test's clock jumps when a thread waits, and this thread must not move the time of the transfer.
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock lock(mutex);
    for (milliseconds wait = style_ == ProgressStyle::terminal ? kBeforeFirst : interval(style_);;
         wait = interval(style_)) {
        never.wait_for(lock, stop, wait, [] { return false; });
        if (stop.stop_requested()) return;
        ProgressView v = view();
        v.rate = rate.at(clock_.now(), v.done() - (v.compares() ? 0 : v.reused));
        shown_ = true;
        switch (style_) {
            case ProgressStyle::terminal:
                output_.status(progress_lines(v, terminal_size(STDERR_FILENO), output_.color()));
                break;
            case ProgressStyle::notices: output_.notice(progress_text(v)); break;
            case ProgressStyle::json: output_.event(progress_json(v)); break;
            case ProgressStyle::none: break;
        }
    }
}

}  // namespace azlock::cli
