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

// Runs each job at once, on an idle thread or a new one. If the system gives no new one, the job waits for an idle one.
// A job that throws ends without a result. The destructor requests a stop and joins all threads.
class HelperThreads {
  public:
    using Job = std::function<void(std::stop_token)>;
    // Starts a thread; throws std::system_error if the system gives none.
    using Starter = std::function<std::thread(std::function<void()>)>;

    // Starts `count` threads. Throws std::system_error if the system does not give all of them.
    explicit HelperThreads(std::size_t count, Starter start = new_thread);
    ~HelperThreads();
    HelperThreads(const HelperThreads&) = delete;
    HelperThreads& operator=(const HelperThreads&) = delete;
    void run(Job job);

  private:
    static std::thread new_thread(std::function<void()> work) { return std::thread(std::move(work)); }
    void add_thread();
    void stop_all();
    void work();

    Starter start_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Job> jobs_;
    std::size_t idle_ = 0;  // without a job, also if it has not begun to run yet
    bool done_ = false;
    std::stop_source stop_;
    std::vector<std::thread> threads_;
};

// Passes lines to `say` one after the other, on its own thread, because their target may be a full pipe. The destructor
// waits for the lines that are left, at most three seconds. What `say` uses must live as long as it takes.
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
