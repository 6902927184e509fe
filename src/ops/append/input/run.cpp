#include "ops/append/input/run.hpp"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <thread>

#include <unistd.h>

#include "base/quantity.hpp"
#include "base/text.hpp"
#include "ops/append/input/fd_input.hpp"
#include "ops/append/input/follow_input.hpp"
#include "ops/files/content_type.hpp"
#include "os/child.hpp"
#include "os/exit_status.hpp"

namespace azlock::ops {
namespace {

using StopCallback = std::stop_callback<std::function<void()>>;

// How long the blob is still looked for after a stop.
constexpr std::chrono::seconds kOpeningAfterStop{1};

// Gives work that has begun a limited time to finish after a stop was requested.
class StopGrace {
  public:
    // end() gets its stop request `span` after `asked` got one.
    StopGrace(Clock& clock, const std::stop_token& asked, std::chrono::nanoseconds span)
        : asked_(asked, [this] { awake_.request_stop(); }), thread_([this, &clock, span](const std::stop_token& over) {
              const std::stop_callback wake(over, [this] { awake_.request_stop(); });
              (void)clock.wait_until(kNoDeadline, awake_.get_token());
              if (!over.stop_requested() && clock.wait_until(clock.after(span), over)) end_.request_stop();
          }) {}
    StopGrace(const StopGrace&) = delete;
    StopGrace& operator=(const StopGrace&) = delete;

    [[nodiscard]] std::stop_token end() const { return end_.get_token(); }

  private:
    std::stop_source awake_;
    std::stop_source end_;
    std::stop_callback<std::function<void()>> asked_;
    std::jthread thread_;
};

Result<std::unique_ptr<ByteInput>> open_file(const AppendSource& source, std::uint64_t offset, const Clock& clock,
                                             const std::stop_token& stop, const AppendInput::Say& say) {
    if (source.follow) {
        const auto from = source.from_end ? FollowInput::From::end : FollowInput::From::start;
        return std::make_unique<FollowInput>(source.file, from, clock, stop, say);
    }
    if (source.file.empty()) return std::make_unique<FdInput>(STDIN_FILENO, "standard input", clock, stop);
    auto fd = open_input(source.file);
    if (!fd) return fail(fd.error());
    if (offset > 0 && lseek(fd->get(), static_cast<off_t>(offset), SEEK_SET) < 0) {
        return fail(file_error(ErrorCode::input_missing, "read from the middle of", source.file, errno));
    }
    return std::make_unique<FdInput>(std::move(*fd), source.file, clock, stop);
}

// Says which bytes that were read are not in the blob; empty if all of them are.
std::string missing(AppendInput& input, bool perhaps) {
    std::string out;
    if (const std::uint64_t unsettled = input.source().unconfirmed_bytes(); unsettled > 0) {
        out = std::to_string(unsettled) + " bytes that were read are not in the blob" +
              (perhaps ? ", or only some of them are" : "");
        if (input.spooled_bytes() > 0) out += " (" + format_bytes(input.spooled_bytes()) + " wait in the spool)";
    }
    if (const auto dropped = input.dropped(); dropped.bytes > 0) {
        out += (out.empty() ? "" : "; ") + std::to_string(dropped.bytes) + " bytes (" + std::to_string(dropped.lines) +
               " lines) were dropped, because the buffer was full";
    }
    return out;
}

class Run {
  public:
    Run(azure::BlobClient& client, const azure::BlobAddress& blob, AppendRun run, const azure::Call& call)
        : client_(client),
          clock_(client.clock()),
          blob_(blob),
          run_(std::move(run)),
          call_(call),
          grace_(clock_, call.stop, run_.time_to_stop),
          opening_grace_(clock_, call.stop, std::min<std::chrono::nanoseconds>(run_.time_to_stop, kOpeningAfterStop)) {}

    AppendEnd go() {
        end_.status = append();
        if (end_.status && call_.stop.stop_requested()) end_.status = check_whole();
        return std::move(end_);
    }

  private:
    [[nodiscard]] const AppendSource& source() const { return run_.source; }

    Status append() {
        std::unique_ptr<Spool> spool;
        if (run_.input.spool) {
            auto opened = Spool::open(*run_.input.spool, run_.say);
            if (!opened) return fail(opened.error());
            spool = std::move(*opened);
            run_.appender.earlier = spool->left_mark();
        }
        run_.appender.must_look = spool != nullptr || source().resume;
        // While nothing was read, there is nothing to send after a stop.
        std::atomic<bool> opening{true};
        std::stop_source over;
        const StopCallback at_end(grace_.end(), [&] { over.request_stop(); });
        const StopCallback while_opening(opening_grace_.end(), [&] {
            if (opening) over.request_stop();
        });
        Appender appender(client_, blob_, run_.appender, {call_.deadline, over.get_token()});
        if (auto ready = appender.open(); !ready) return ready;
        if (source().resume) {
            const MeteredBody compared(source().whole, {run_.progress}, call_);
            const auto there = appender.resume(compared, std::filesystem::path(source().file).filename().string());
            if (!there) return fail(there.error());
            end_.skipped = run_.input.cut.input_offset = *there;
            if (run_.progress != nullptr) run_.progress->reused += *there;
        }
        opening = false;
        std::optional<os::Child> child;
        if (!source().command.empty()) {
            auto started = os::Child::start({source().command});
            if (!started) {
                end_.exit_code = os::exit_code_of(os::start_failure(started.error()));
                return fail(started.error());
            }
            child.emplace(std::move(*started));
        }
        return transfer(appender, std::move(spool), child ? &*child : nullptr);
    }

    // `child`: the command that gives the input, or null.
    Status transfer(Appender& appender, std::unique_ptr<Spool> spool, os::Child* child) {
        std::stop_token input_stop = call_.stop;
        // The command gets the signal, too. What it writes until it ends is still appended.
        std::optional<StopGrace> command_grace;
        std::optional<StopCallback> pass_on;
        if (child != nullptr) {
            command_grace.emplace(clock_, call_.stop, run_.time_to_stop * 4 / 5);
            input_stop = command_grace->end();
            pass_on.emplace(call_.stop, [&] { child->signal(source().signal()); });
        }
        const auto open = [&](const std::stop_token& stop) -> Result<std::unique_ptr<ByteInput>> {
            if (child == nullptr) {
                return open_file(source(), run_.input.cut.input_offset, clock_, stop, run_.say);
            }
            const std::string name = "the output of " + in_quotes(source().command[0]);
            return std::make_unique<FdInput>(child->output(), name, clock_, stop);
        };
        auto input = AppendInput::start(run_.input, std::move(spool), open, clock_, input_stop, run_.say);
        if (!input) return fail(input.error());
        Status ran = appender.run((*input)->source());
        pass_on.reset();
        if (child != nullptr) {
            if (ran) {
                ran = end_of(*child);
            } else {
                child->stop();
            }
        }
        end_.report = appender.report();
        end_.split_lines = (*input)->split_lines();
        return outcome_of(ran, **input);
    }

    // Waits for the command; its output has already ended.
    Status end_of(os::Child& child) {
        const auto ended = child.wait(grace_.end());
        if (!ended) {
            return fail(ErrorCode::cancelled,
                        "stopped before the command " + in_quotes(source().command[0]) + " ended");
        }
        end_.exit_code = ended->code;
        if (ended->code == 0) return {};
        run_.say(os::describe_end(*ended, source().command[0]));
        return {};
    }

    // An error if bytes that were read are not in the blob.
    Status outcome_of(const Status& ran, AppendInput& input) {
        const std::string what = missing(input, !ran && ran.error().may_have_applied);
        end_.all_sent = ran && what.empty();
        if (end_.all_sent) return {};
        if (ran) {
            end_.lost = true;
            Error error = make_error(ErrorCode::unavailable, what, "a larger --buffer, or --on-full spool, keeps more");
            error.target = blob_.to_string();
            return fail(std::move(error));
        }
        Error error = ran.error();
        const bool given_up = error.code == ErrorCode::cancelled || error.code == ErrorCode::unavailable;
        if (!what.empty()) error.message = what + ": " + error.message;
        end_.lost = call_.stop.stop_requested() && given_up && !what.empty();
        if (end_.lost) error.code = ErrorCode::unavailable;
        return fail(std::move(error));
    }

    // An error if the stop came before the whole file was read.
    [[nodiscard]] Status check_whole() const {
        const std::uint64_t there = end_.skipped + end_.report.bytes;
        if (!source().whole || there >= source().whole->size()) return {};
        return fail(ErrorCode::cancelled,
                    "stopped: " + std::to_string(there) + " of " + std::to_string(source().whole->size()) +
                        " bytes of the file were read, and they are in the blob",
                    source().resume ? "run the same command again to go on" : "");
    }

    azure::BlobClient& client_;
    Clock& clock_;
    const azure::BlobAddress& blob_;
    AppendRun run_;
    const azure::Call& call_;
    StopGrace grace_;
    StopGrace opening_grace_;
    AppendEnd end_;
};

}  // namespace

AppendEnd run_append(azure::BlobClient& client, const azure::BlobAddress& blob, AppendRun run,
                     const azure::Call& call) {
    if (blob.blob.empty() || blob.blob.ends_with('/')) {
        return {fail(ErrorCode::usage, "the destination must name the blob to append to")};
    }
    fill_content_type(run.appender.content_type, blob.blob);
    if (Progress* progress = run.progress) {
        if (run.source.whole) progress->total = run.source.whole->size();
        run.appender.send.progress = progress;
        run.appender.retry.counted = &progress->retries;
    }
    if (run.input.spool) run.input.spool->destination = client.endpoint().to_string() + "/" + blob.to_string();
    return Run(client, blob, std::move(run), call).go();
}

}  // namespace azlock::ops
