#include "ops/append/input/batch_cutter.hpp"

#include <algorithm>
#include <cstring>

namespace azlock::ops {

constexpr auto kNewline = std::byte{'\n'};

BatchCutter::BatchCutter(const CutOptions& options) : options_(options), seen_(options.input_offset) {
    if (options_.complete_last) --options_.largest;  // so that the newline fits
}

void BatchCutter::set_target(std::uint64_t bytes) {
    target_ = std::clamp<std::uint64_t>(bytes, 1, options_.largest);
}

void BatchCutter::add(ByteView data) {
    out_.insert(out_.end(), data.begin(), data.end());
    seen_ += data.size();
    at_line_start_ = data.back() == kNewline;
}

void BatchCutter::mark_complete() {
    complete_ = out_.size();
    complete_end_ = seen_;
}

std::size_t BatchCutter::feed(ByteView data, WallTime now) {
    std::size_t done = 0;
    while (done < data.size() && !ready()) {
        const ByteView rest = data.subspan(done);
        done += options_.lines ? feed_line(rest, now) : feed_bytes(rest);
    }
    return done;
}

std::size_t BatchCutter::feed_bytes(ByteView data) {
    const ByteView part = data.first(std::min<std::size_t>(data.size(), target_ - out_.size()));
    add(part);
    complete_lines_ += static_cast<std::uint64_t>(std::count(part.begin(), part.end(), kNewline));
    mark_complete();
    return part.size();
}

std::size_t BatchCutter::feed_line(ByteView data, WallTime now) {
    if (at_line_start_ && options_.stamp) {
        const std::string stamp = options_.stamp->at(now);
        if (complete_ > 0 && out_.size() + stamp.size() >= options_.largest) {
            full_ = true;
            return 0;
        }
        const ByteView bytes = as_bytes(stamp);
        out_.insert(out_.end(), bytes.begin(), bytes.end());
        at_line_start_ = false;
    }
    const std::size_t room = options_.largest - out_.size();
    if (room == 0) {
        full_ = true;
        if (complete_ > 0) return 0;
        if (!std::exchange(splitting_, true)) ++split_lines_;
        mark_complete();
        return 0;
    }
    const std::size_t in_reach = std::min(room, data.size());
    const void* newline = std::memchr(data.data(), '\n', in_reach);
    const ByteView part = data.first(
        newline == nullptr ? in_reach
                           : static_cast<std::size_t>(static_cast<const std::byte*>(newline) - data.data()) + 1);
    add(part);
    if (newline != nullptr) {
        ++complete_lines_;
        splitting_ = false;
        mark_complete();
    }
    return part.size();
}

std::optional<AppendBatch> BatchCutter::take() {
    full_ = false;
    if (complete_ == 0) return std::nullopt;
    AppendBatch batch;
    const auto end = out_.begin() + static_cast<std::ptrdiff_t>(complete_);
    std::vector<std::byte> rest(end, out_.end());
    out_.resize(complete_);
    batch.bytes = std::exchange(out_, std::move(rest));
    if (batch.bytes.capacity() - batch.bytes.size() > batch.bytes.size() / 4) batch.bytes.shrink_to_fit();
    batch.lines = std::exchange(complete_lines_, 0);
    batch.source_end = complete_end_;
    complete_ = 0;
    return batch;
}

void BatchCutter::end_file() {
    if (!options_.complete_last || at_line_start_) return;
    out_.push_back(kNewline);
    ++complete_lines_;
    at_line_start_ = true;
    splitting_ = false;
    mark_complete();
}

void BatchCutter::end_input() {
    end_file();
    if (out_.size() > complete_) mark_complete();
}

}  // namespace azlock::ops
