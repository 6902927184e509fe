#include "ops/append/input/input.hpp"

#include <algorithm>

#include "base/quantity.hpp"

namespace azlock::ops {

constexpr std::size_t kReadAtOnce = std::size_t{64} << 10U;

Result<std::unique_ptr<AppendInput>> AppendInput::start(AppendInputOptions options, std::unique_ptr<Spool> spool,
                                                        const MakeInput& input, Clock& clock,
                                                        const std::stop_token& stop, Say say) {
    const std::uint64_t largest = std::min(options.max_block, options.buffer.memory / 2);
    options.cut.largest = options.buffer.largest = std::max<std::uint64_t>(largest, 2 * LineStamp::kMax);
    std::unique_ptr<AppendInput> out(new AppendInput(options, std::move(spool), clock, stop, std::move(say)));
    auto made = input(out->finish_.get_token());
    if (!made) return fail(made.error());
    out->input_ = std::move(*made);
    out->thread_ = std::thread([self = out.get()] { self->work(); });
    return out;
}

AppendInput::AppendInput(const AppendInputOptions& options, std::unique_ptr<Spool> spool, Clock& clock,
                         const std::stop_token& stop, Say say)
    : clock_(clock),
      say_(std::move(say)),
      stopped_(stop, [this] { finish_.request_stop(); }),
      buffer_(options.buffer, std::move(spool), clock, say_),
      cutter_(options.cut),
      pushed_end_(options.cut.input_offset) {
    if (options.tee >= 0) tee_.emplace(options.tee, clock, finish_.get_token(), say_);
}

AppendInput::~AppendInput() {
    buffer_.abandon();
    finish_.request_stop();
    if (thread_.joinable()) thread_.join();
}

bool AppendInput::flush() {
    auto batch = cutter_.take();
    if (!batch) return true;
    oldest_ = clock_.now();
    const std::uint64_t input_bytes = batch->source_end - std::exchange(pushed_end_, batch->source_end);
    const std::uint64_t split = cutter_.split_lines();
    if (split_lines_.exchange(split) == 0 && split > 0) {
        say_("a line is longer than " + format_bytes(cutter_.largest()) +
             " and is split: bytes of other writers can come between its parts");
    }
    return buffer_.push(std::move(*batch), input_bytes);
}

bool AppendInput::take_in(ByteView data) {
    buffer_.count_read(data.size());
    if (tee_) tee_->write(data);
    newest_ = clock_.now();
    if (!cutter_.sendable()) oldest_ = newest_;
    while (!data.empty() || cutter_.ready()) {
        pace_ = buffer_.pace();
        cutter_.set_target(pace_.batch_size);
        data = data.subspan(cutter_.feed(data, clock_.wall()));
        if (cutter_.ready() && !flush()) return false;
    }
    return true;
}

Deadline AppendInput::due() const {
    if (!cutter_.sendable()) return kNoDeadline;
    return std::min(oldest_ + pace_.flush_interval, newest_ + pace_.pause());
}

void AppendInput::work() {
    std::vector<std::byte> chunk(kReadAtOnce);
    std::optional<Error> error;
    for (;;) {
        auto got = input_->read(chunk, due());
        if (!got) {
            error = got.error();
            break;
        }
        if (got->got == ByteInput::Got::end) break;
        if (got->got == ByteInput::Got::boundary) cutter_.end_file();
        if (got->got == ByteInput::Got::bytes && !take_in(ByteView(chunk).first(got->size))) return;
        if (clock_.now() >= due() && !flush()) return;
    }
    cutter_.end_input();
    if (flush()) buffer_.end(std::move(error));
}

}  // namespace azlock::ops
