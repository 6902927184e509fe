// Threads that send requests and write messages for a loop that must never wait.
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

// Runs each job at once, on an idle thread or a new one. The destructor requests a stop and joins all threads.
class HelperThreads {
  public:
    using Job = std::function<void(std::stop_token)>;
    ~HelperThreads();
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

// Passes lines to `say` one after the other, on its own thread, because their target may be a full pipe. The destructor
// waits for the lines that are left, at most one second.
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
