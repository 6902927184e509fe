// A keeper of a lock that answers this process, as the azlock of an outer lock does.
#pragma once

#include <mutex>
#include <string>
#include <thread>

#include <poll.h>
#include <unistd.h>

#include "ops/lock/keeper.hpp"

namespace azlock::test {

class AnsweringKeeper {
  public:
    AnsweringKeeper(std::string lease_id, ops::KeeperAnswer answer)
        : keeper_(ops::Keeper::create().value()), lease_id_(std::move(lease_id)), answer_(answer) {}

    [[nodiscard]] const std::string& address() const { return keeper_.address(); }
    void say(ops::KeeperAnswer answer) {
        const std::lock_guard lock(mutex_);
        answer_ = answer;
    }
    // As if its process were stopped.
    void be_silent(bool silent) {
        const std::lock_guard lock(mutex_);
        silent_ = silent;
    }

  private:
    void work(const std::stop_token& over) {
        while (!over.stop_requested()) {
            pollfd entry{keeper_.fd(), POLLIN, 0};
            (void)::poll(&entry, 1, 20);
            const std::lock_guard lock(mutex_);
            if (!silent_) keeper_.answer(::getppid(), lease_id_, answer_);
        }
    }

    ops::Keeper keeper_;
    std::string lease_id_;
    std::mutex mutex_;
    ops::KeeperAnswer answer_;
    bool silent_ = false;
    std::jthread thread_{[this](const std::stop_token& over) { work(over); }};  // last: it uses the others
};

}  // namespace azlock::test
