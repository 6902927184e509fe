// A terminal for a command's standard output, and what a person would have read there.
#pragma once

#include <cstdlib>
#include <stdexcept>
#include <string>

#include <fcntl.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

namespace azlock::test {

class TerminalOut {
  public:
    explicit TerminalOut(unsigned short columns = 80, unsigned short rows = 24)
        : master_(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)) {
        if (master_ < 0 || ::grantpt(master_) != 0 || ::unlockpt(master_) != 0) throw std::runtime_error("no terminal");
        slave_ = ::open(::ptsname(master_), O_RDWR | O_NOCTTY | O_CLOEXEC);
        const winsize size{rows, columns, 0, 0};
        termios mode{};
        if (slave_ < 0 || ::ioctl(slave_, TIOCSWINSZ, &size) != 0 || ::tcgetattr(slave_, &mode) != 0) {
            throw std::runtime_error("no terminal");
        }
        ::cfmakeraw(&mode);
        ::tcsetattr(slave_, TCSANOW, &mode);
    }
    ~TerminalOut() {
        ::close(slave_);
        ::close(master_);
    }
    TerminalOut(const TerminalOut&) = delete;
    TerminalOut& operator=(const TerminalOut&) = delete;

    [[nodiscard]] int fd() const { return slave_; }
    // What was written since the last call.
    [[nodiscard]] std::string read() const {
        std::string out;
        char buffer[4096];
        for (ssize_t size = 0; (size = ::read(master_, buffer, sizeof buffer)) > 0;) {
            out.append(buffer, static_cast<std::size_t>(size));
        }
        return out;
    }

  private:
    int master_;
    int slave_ = -1;
};

}  // namespace azlock::test
