// Takes ranges that were fetched in parallel and hands them on in order.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>

#include "base/result.hpp"

namespace azlock::ops {

// Thread-safe. Ranges are numbered from 0. Each deliver() waits until all lower numbers have been delivered, so at most
// as many ranges are held as there are threads.
class OrderedOutput {
  public:
    using Writer = std::function<Status(const std::string& range)>;
    explicit OrderedOutput(Writer writer) : writer_(std::move(writer)) {}

    // Errors: the writer's; cancelled if a stop was requested while it waited.
    [[nodiscard]] Status deliver(std::size_t number, const std::string& range, std::stop_token stop) {
        std::unique_lock lock(mutex_);
        if (!advanced_.wait(lock, stop, [&] { return next_ == number; })) return fail(stopped_by_signal());
        if (auto written = writer_(range); !written) return written;
        ++next_;
        advanced_.notify_all();
        return {};
    }

  private:
    Writer writer_;
    std::mutex mutex_;
    std::condition_variable_any advanced_;
    std::size_t next_ = 0;
};

}  // namespace azlock::ops
