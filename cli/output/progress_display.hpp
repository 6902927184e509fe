// Shows the progress of a transfer: a line on a terminal, a notice every 30 s elsewhere, or JSON events.
#pragma once

#include <functional>
#include <thread>

#include "base/clock.hpp"
#include "cli/output/output.hpp"
#include "ops/transfer/progress.hpp"

namespace azlock::cli {

enum class ProgressStyle { none, terminal, notices, json };

// Depends on where standard error goes, and on the flags.
[[nodiscard]] ProgressStyle progress_style(const Output& output, bool json_events);

struct ProgressView {
    std::uint64_t total = 0;  // 0: not known
    std::uint64_t sent = 0;
    std::uint64_t reused = 0;
    std::uint64_t moving = 0;
    std::uint64_t files = 0;
    std::uint64_t files_done = 0;
    std::uint64_t retries = 0;
    double rate = 0;  // bytes per second over the last seconds
    std::chrono::milliseconds elapsed{0};
};

// "1.2 GiB of 4.0 GiB, 31 %, 110 MiB/s, 25s left, 200 MiB reused, 2 retries"
[[nodiscard]] std::string progress_text(const ProgressView& view);
[[nodiscard]] Json progress_json(const ProgressView& view);

// Shows the progress from its own thread until it is destroyed; then it clears the terminal's line or writes a last
// event.
class ProgressDisplay {
  public:
    ProgressDisplay(ProgressStyle style, Output& output, Clock& clock, const ops::Progress& progress,
                    std::function<std::uint64_t()> retries);
    ~ProgressDisplay();
    ProgressDisplay(const ProgressDisplay&) = delete;
    ProgressDisplay& operator=(const ProgressDisplay&) = delete;

  private:
    void run(const std::stop_token& stop);
    [[nodiscard]] ProgressView view() const;

    ProgressStyle style_;
    Output& output_;
    Clock& clock_;
    const ops::Progress& progress_;
    std::function<std::uint64_t()> retries_;
    BootTime start_;
    std::jthread thread_;
};

}  // namespace azlock::cli
