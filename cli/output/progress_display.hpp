// Shows the progress of a command: lines on a terminal, a notice every 30 s elsewhere, or JSON events.
#pragma once

#include <functional>
#include <thread>

#include "base/clock.hpp"
#include "cli/output/output.hpp"
#include "cli/output/progress_text.hpp"
#include "ops/transfer/progress.hpp"

namespace azlock::cli {

enum class ProgressStyle { none, terminal, notices, json };

// Where data goes while the progress is shown. If standard output is a terminal, too, the data shows how far it is.
enum class Stdout { at_the_end, meanwhile };

// Depends on where standard error goes, and on the flags.
[[nodiscard]] ProgressStyle progress_style(const Output& output, bool json_events, Stdout data = Stdout::at_the_end);

// Shows the progress from its own thread until it is destroyed; then it clears the terminal's lines or writes a last
// event.
class ProgressDisplay {
  public:
    ProgressDisplay(ProgressStyle style, Output& output, Clock& clock, const ops::Progress& progress,
                    std::function<std::uint64_t()> retries);
    ~ProgressDisplay() { (void)end(); }
    ProgressDisplay(const ProgressDisplay&) = delete;
    ProgressDisplay& operator=(const ProgressDisplay&) = delete;

    // Does what the destructor does. True if the user has seen something, so that a summary is due.
    [[nodiscard]] bool end();

  private:
    void run(const std::stop_token& stop);
    [[nodiscard]] ProgressView view() const;

    ProgressStyle style_;
    Output& output_;
    Clock& clock_;
    const ops::Progress& progress_;
    std::function<std::uint64_t()> retries_;
    BootTime start_;
    bool shown_ = false;  // by the thread
    std::jthread thread_;
};

}  // namespace azlock::cli
