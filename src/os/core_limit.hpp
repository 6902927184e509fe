// A core file holds all that a process has in memory, secrets too. azlock writes none; its commands keep their limit.
#pragma once

#include <mutex>

namespace azlock::os {

// From now on this process and its forks write no core file. Call it before there are threads.
void write_no_core_files();

// Gives this process its limit back. Call it in a fork, before it executes a command: it allocates nothing.
void restore_core_limit();

// While it lives, what this process spawns gets the limit that azlock was started with. One lives at a time.
class CoreLimitForCommand {
  public:
    CoreLimitForCommand();
    ~CoreLimitForCommand();
    CoreLimitForCommand(const CoreLimitForCommand&) = delete;
    CoreLimitForCommand& operator=(const CoreLimitForCommand&) = delete;

  private:
    std::unique_lock<std::mutex> alone_;
};

}  // namespace azlock::os
