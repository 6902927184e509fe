// What `watch` reports: sentences on standard error or, with --json, one line for each event on standard output.
#pragma once

#include <string>

#include "cli/program/context.hpp"
#include "ops/read/blob_watch.hpp"
#include "os/child.hpp"

namespace azlock::cli {

class WatchReport {
  public:
    WatchReport(Context& context, std::string target) : context_(context), target_(std::move(target)) {}

    // Errors: io.
    [[nodiscard]] Status tell(const ops::WatchEvent& event);
    // `deletion`: it was the command of --on-delete.
    [[nodiscard]] Status tell_end(const os::ChildEnd& end, const std::string& etag, bool deletion,
                                  std::chrono::nanoseconds took);

  private:
    [[nodiscard]] Json line(const char* event) const;

    Context& context_;
    std::string target_;
};

}  // namespace azlock::cli
