// A blob service of Azurite, in memory, on a port of its own, for as long as the object lives.
#pragma once

#include <cstdint>
#include <string>

#include <sys/types.h>

#include "support/temp_dir.hpp"

namespace azlock::test {

// Where Azurite's node modules are: AZLOCK_AZURITE_MODULES, or tests/azurite/node_modules.
[[nodiscard]] std::string azurite_modules();

// The kernel chooses the port when the server binds it. The server dies with the thread that made the object, however
// that ends (PR_SET_PDEATHSIG): make it on the main thread.
class AzuriteProcess {
  public:
    // Returns when the server listens. Throws std::runtime_error with what it printed where it does not.
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
