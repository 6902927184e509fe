// Azurite's blob service in memory, on its own port, for as long as the object lives.
#pragma once

#include <cstdint>
#include <string>

#include <sys/types.h>

#include "support/temp_dir.hpp"

namespace azlock::test {

// Where Azurite's node modules are: AZLOCK_AZURITE_MODULES, or tests/azurite/node_modules.
[[nodiscard]] std::string azurite_modules();

// The kernel chooses the port when the server binds it. The server is killed when the thread that made the object ends,
// in whatever way (PR_SET_PDEATHSIG). So make the object on the main thread.
class AzuriteProcess {
  public:
    // Returns when the server listens. If it does not, throws std::runtime_error with what the server printed.
    AzuriteProcess();
    ~AzuriteProcess();
    AzuriteProcess(const AzuriteProcess&) = delete;
    AzuriteProcess& operator=(const AzuriteProcess&) = delete;

    [[nodiscard]] std::uint16_t port() const { return port_; }
    [[nodiscard]] pid_t pid() const { return pid_; }

  private:
    void start();
    void wait_until_listening();
    void stop();

    TempDir directory_;
    pid_t pid_ = -1;
    int output_ = -1;  // what the server prints; open as long as it runs
    std::uint16_t port_ = 0;
};

}  // namespace azlock::test
