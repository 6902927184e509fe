// Threads beside a loop that must never wait: for requests, and for lines to people.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace azlock::ops {

// Calls each function at once, on a thread that is free or a new one. The destructor requests a stop and waits for all.
class SideThreads {
  public:
    using Job = std::function<void(std::stop_token)>;
    ~SideThreads();
    void run(Job job);

  private:
    void work();

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Job> jobs_;
    std::size_t idle_ = 0;
    bool done_ = false;
    std::stop_source stop_;
    std::vector<std::thread> threads_;
};

// Says lines one after the other, on a thread that nobody waits for longer than a second: where they go to may be a
// pipe that is full.
class Voice {
  public:
    explicit Voice(std::function<void(const std::string&)> say);
    ~Voice();
    Voice(const Voice&) = delete;
    Voice& operator=(const Voice&) = delete;
    void tell(std::string text);

  private:
    struct State {
        std::mutex mutex;
        std::condition_variable changed;
        std::deque<std::string> lines;
        bool busy = false;
        bool done = false;
        std::function<void(const std::string&)> say;
    };
    std::shared_ptr<State> state_;
};

}  // namespace azlock::ops
