// Turns an input into batches: reads it on a thread of its own, copies it to standard output, cuts it, keeps what
// waits.
#pragma once

#include <atomic>
#include <thread>

#include "ops/append/input/batch_buffer.hpp"
#include "ops/append/input/batch_cutter.hpp"
#include "ops/append/input/byte_input.hpp"
#include "ops/append/input/tee_output.hpp"

namespace azlock::ops {

struct AppendInputOptions {
    CutOptions cut;                                       // `largest` is set by start()
    BufferOptions buffer;                                 // `largest` is set by start()
    std::uint64_t max_block = std::uint64_t{100} << 20U;  // largest block that the service takes, bytes
    std::optional<SpoolOptions> spool;                    // options of the spool that start() is given
    int tee = -1;                                         // descriptor that gets a copy of what is read; -1: none
};

class AppendInput {
  public:
    using Say = std::function<void(const std::string&)>;
    using MakeInput = std::function<Result<std::unique_ptr<ByteInput>>(const std::stop_token&)>;

    // A batch is never larger than half the buffer. `stop` ends the input: bytes that were read before the stop
    // are given out. `say` gets messages for people, from several threads. Errors: those of the input.
    [[nodiscard]] static Result<std::unique_ptr<AppendInput>> start(AppendInputOptions options,
                                                                    std::unique_ptr<Spool> spool,
                                                                    const MakeInput& input, Clock& clock,
                                                                    const std::stop_token& stop, Say say);
    // Ends the reading. Batches that are not confirmed are lost, except those in a spool.
    ~AppendInput();
    AppendInput(const AppendInput&) = delete;
    AppendInput& operator=(const AppendInput&) = delete;

    [[nodiscard]] BatchSource& source() { return buffer_; }

    // May be called at any time.
    [[nodiscard]] BatchBuffer::Dropped dropped() const { return buffer_.dropped(); }
    [[nodiscard]] std::uint64_t spooled_bytes() const { return buffer_.spooled_bytes(); }
    // Number of lines that were longer than a batch and were split over several.
    [[nodiscard]] std::uint64_t split_lines() const { return split_lines_; }

  private:
    AppendInput(const AppendInputOptions& options, std::unique_ptr<Spool> spool, Clock& clock,
                const std::stop_token& stop, Say say);
    void work();
    [[nodiscard]] bool take_in(ByteView data);
    [[nodiscard]] bool flush();
    [[nodiscard]] Deadline due() const;

    Clock& clock_;
    Say say_;
    std::stop_source finish_;
    std::stop_callback<std::function<void()>> stopped_;
    BatchBuffer buffer_;
    std::unique_ptr<ByteInput> input_;
    std::atomic<std::uint64_t> split_lines_{0};

    // Used only by the reading thread.
    BatchCutter cutter_;
    std::optional<TeeOutput> tee_;
    AppendPace pace_;
    BootTime oldest_{};  // when the oldest bytes in the cutter came
    BootTime newest_{};
    std::uint64_t pushed_end_ = 0;  // bytes of the input up to the last pushed batch

    std::thread thread_;
};

}  // namespace azlock::ops
