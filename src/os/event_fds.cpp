#include "os/event_fds.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <utility>

#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

namespace azlock::os {

BootTimer::BootTimer() : timer_(timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK)) {}

void BootTimer::set(BootTime when) {
    itimerspec spec{};
    if (when != kNoDeadline) {
        const auto ns = std::max<std::int64_t>(when.time_since_epoch().count(), 1);  // 0 would disarm it
        spec.it_value.tv_sec = ns / 1'000'000'000;
        spec.it_value.tv_nsec = ns % 1'000'000'000;
    }
    timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &spec, nullptr);
}

ClockStepWatch::ClockStepWatch() : timer_(timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK)) {
    arm();
}

void ClockStepWatch::arm() {
    itimerspec spec{};
    spec.it_value.tv_sec = kNoDeadline.time_since_epoch().count() / 1'000'000'000;  // the latest time of the kernel
    timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &spec, nullptr);
}

bool ClockStepWatch::stepped() {
    std::uint64_t count = 0;
    if (read(timer_.get(), &count, sizeof count) >= 0 || errno != ECANCELED) return false;
    arm();
    return true;
}

Mailbox::Mailbox() : event_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    posted_.reserve(kRoom);
}

void Mailbox::post(std::function<void()> what) {
    {
        const std::lock_guard lock(mutex_);
        posted_.push_back(std::move(what));
    }
    const std::uint64_t one = 1;
    (void)!write(event_.get(), &one, sizeof one);
}

std::vector<std::function<void()>> Mailbox::take() {
    std::uint64_t count = 0;
    (void)!read(event_.get(), &count, sizeof count);
    std::vector<std::function<void()>> out;
    out.reserve(kRoom);  // if this throws, nothing is lost
    const std::lock_guard lock(mutex_);
    out.swap(posted_);
    return out;
}

}  // namespace azlock::os
