#include "base/wait.hpp"

#include <algorithm>

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace azlock {
namespace {

constexpr std::chrono::milliseconds kLookForStop{100};

}  // namespace

std::chrono::nanoseconds wait_slice(Deadline deadline, const Clock& clock) {
    const BootTime now = clock.now();
    if (now >= deadline) return std::chrono::nanoseconds::zero();
    return std::min<std::chrono::nanoseconds>(deadline - now, kWaitSlice);
}

StopSignal::StopSignal(const std::stop_token& stop) : stop_(stop), event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    callback_.emplace(stop, Raise{event_.get()});
}

void StopSignal::Raise::operator()() const {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(fd, &one, sizeof one);
}

Wake wait_ready(int fd, short events, Deadline deadline, const Clock& clock, const StopSignal& stop) {
    for (;;) {
        auto slice = std::chrono::ceil<std::chrono::milliseconds>(wait_slice(deadline, clock));
        if (stop.fd() < 0) slice = std::min(slice, kLookForStop);
        pollfd fds[] = {{fd, events, 0}, {stop.fd(), POLLIN, 0}};
        const int found = ::poll(fds, 2, static_cast<int>(slice.count()));
        if (stop.fd() < 0 ? stop.raised() : found > 0 && fds[1].revents != 0) return Wake::stopped;
        if (found > 0 && fds[0].revents != 0) return Wake::ready;
        if (slice.count() == 0) return Wake::deadline;
    }
}

}  // namespace azlock
