#include "ops/read/ordered_output.hpp"

namespace azlock::ops {

Status OrderedOutput::deliver(std::size_t number, const std::string& piece, std::stop_token stop) {
    std::unique_lock lock(mutex_);
    if (!advanced_.wait(lock, stop, [&] { return next_ == number; })) {
        return fail(stopped_by_signal());
    }
    if (auto written = writer_(piece); !written) return written;
    ++next_;
    advanced_.notify_all();
    return {};
}

}  // namespace azlock::ops
