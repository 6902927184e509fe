// Tells the command when the command will be ended: a file without a name (/proc/PID/fd/N).
#pragma once

#include <string>

#include "base/clock.hpp"
#include "base/file.hpp"

namespace azlock::ops {

// Thread-safe: each change is one write.
class TermPointFile {
  public:
    // Error: io.
    [[nodiscard]] static Result<TermPointFile> create();

    // When the command gets TERM unless the lease is renewed before; kNoDeadline: never.
    void set(BootTime term_at);
    // For AZLOCK_STATUS_FILE; valid while this process lives.
    [[nodiscard]] std::string path() const;

  private:
    Fd file_;
};

}  // namespace azlock::ops
