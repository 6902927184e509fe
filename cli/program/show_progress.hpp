// Shows the progress of a command that can last.
#pragma once

#include <memory>

#include "cli/output/progress_display.hpp"
#include "cli/program/context.hpp"

namespace azlock::cli {

// From now on, until the result is destroyed. Context and progress must outlive it.
[[nodiscard]] std::unique_ptr<ProgressDisplay> show_progress(Context& context, const ops::Progress& progress,
                                                             ProgressStyle style);

// The progress of a command that prints one entry after the other: how many there are so far.
class EntryProgress {
  public:
    // `unit`: what an entry is, such as "blob".
    EntryProgress(Context& context, const std::string& name, const char* unit);

    [[nodiscard]] ops::Progress& counts() { return progress_; }
    void count() { ++progress_.items; }
    // The command has ended with `status`, which is returned. If the user has seen progress, a summary stays.
    [[nodiscard]] Status end(Status status);

  private:
    Context& context_;
    ops::Progress progress_;
    BootTime start_;
    std::unique_ptr<ProgressDisplay> display_;
};

}  // namespace azlock::cli
