#include "ops/queue/put_input.hpp"

#include <cerrno>
#include <utility>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

#include "base/quantity.hpp"
#include "base/system_limit.hpp"
#include "base/text.hpp"
#include "base/worker_pool.hpp"
#include "ops/queue/find.hpp"
#include "ops/queue/line_tally.hpp"
#include "ops/queue/put_batch.hpp"
#include "ops/read/content_file.hpp"

namespace azlock::ops {
namespace {

constexpr std::size_t kPutsAtOnce = 16;
constexpr std::size_t kLinesAtOnce = 512;
constexpr std::size_t kLongestLine = 4 * 1024 * 1024;

// Reads the lines of a stream, up to kLinesAtOnce at a time. Empty lines are left out.
class LineReader {
  public:
    // The lines of a call of next() count as done with the next call. `progress`: may be null.
    LineReader(int fd, std::string name, Progress* progress) : fd_(fd), name_(std::move(name)), progress_(progress) {
        struct stat file {};
        const bool whole = progress != nullptr && ::fstat(fd, &file) == 0 && S_ISREG(file.st_mode);
        if (whole) progress->total = static_cast<std::uint64_t>(file.st_size);
    }

    // An empty result means the end. The last line may have no newline.
    Result<std::vector<std::string>> next() {
        std::vector<std::string> out;
        if (progress_ != nullptr) progress_->sent += std::exchange(given_, 0);
        while (out.size() < kLinesAtOnce) {
            const std::size_t end = text_.find('\n', at_);
            if (end != std::string::npos) {
                ++line_;
                if (out.empty()) numbers_.clear();
                if (end > at_) {
                    out.push_back(text_.substr(at_, end - at_));
                    numbers_.push_back(line_);
                }
                given_ += end + 1 - at_;
                at_ = end + 1;
            } else if (ended_ || !out.empty()) {
                break;  // complete lines must not wait for more input
            } else if (auto ok = more(); !ok) {
                return fail(ok.error());
            }
        }
        return out;
    }
    // Of the lines that next() has given: the first line of the stream is 1.
    [[nodiscard]] const std::vector<std::uint64_t>& numbers() const { return numbers_; }

  private:
    Status more() {
        text_.erase(0, at_);
        at_ = 0;
        if (text_.size() > kLongestLine) {
            return fail(ErrorCode::data, name_ + ": a line is longer than 4 MiB", "put it without --lines");
        }
        char buffer[64 * 1024];
        ssize_t size = 0;
        do size = read(fd_, buffer, sizeof buffer);
        while (size < 0 && errno == EINTR);
        if (size < 0) return fail(file_error(ErrorCode::input_missing, "read", name_, errno));
        ended_ = size == 0;
        text_.append(ended_ ? "\n" : buffer, ended_ ? 1 : static_cast<std::size_t>(size));
        return {};
    }

    int fd_;
    std::string name_;
    Progress* progress_;
    std::uint64_t given_ = 0;  // bytes of the last lines
    std::string text_;
    std::size_t at_ = 0;
    bool ended_ = false;
    std::uint64_t line_ = 0;
    std::vector<std::uint64_t> numbers_;
};

class Putter {
  public:
    Putter(const Queue& queue, const PutOptions& options, const azure::Call& call, const PutReport& report)
        : queue_(queue), o_(options), call_(call), report_(report) {}

    Status prepare() {
        if (const auto size = metadata_size(o_.metadata); size > kMetadataLimit - kMetadataReserve) {
            return fail(ErrorCode::usage,
                        "the metadata has " + std::to_string(size) + " bytes; a task may have " +
                            std::to_string(kMetadataLimit - kMetadataReserve),
                        "put the rest into the task's content");
        }
        if (o_.create_container) {
            if (auto made = queue_.many.ensure_container(queue_.name.container, call_); !made) return made;
        }
        if (!o_.delay) return {};
        const auto ahead = service_clock_ahead(queue_, call_);
        if (!ahead) return fail(ahead.error());
        // The metadata holds whole seconds.
        due_ = std::chrono::ceil<std::chrono::seconds>(queue_.many.clock().wall() + *ahead + *o_.delay);
        return {};
    }

    Status put_one(int fd, const std::string& name) {
        auto file = ContentFile::create(UINT64_MAX);
        if (!file) return fail(file.error());
        if (auto ok = (*file)->fill_from(fd, name); !ok) return ok;
        const auto body = (*file)->body();
        if (!body) return fail(body.error());
        NewTask task = new_task(0);
        bool existed = false;
        if (!o_.id.empty()) {
            task.id = o_.id;
            const auto elsewhere = exists(task.id);
            if (!elsewhere) return fail(elsewhere.error());
            existed = *elsewhere;
        }
        if (!existed) {
            const auto put = put_task(queue_, task, *body, call_);
            if (!put) return fail(put.error());
            existed = !put->has_value();
        }
        if (existed && !o_.if_absent) {
            return fail(
                ErrorCode::precondition,
                "the task " + printable(task.id) + " is already in the queue " + printable(queue_.name.to_string()),
                "with --if-absent that is a success; 'azlock queue retry' puts a dead letter back");
        }
        return report_(task.id, existed);
    }

    Status put_lines(int fd, const std::string& name) {
        return o_.batch.empty() ? put_each(fd, name) : put_batch(fd, name);
    }

    Status put_batch(int fd, const std::string& name) {
        std::uint64_t reported = 0;
        const PutReport count = [&](const std::string& id, bool existed) {
            ++reported;
            return report_(id, existed);
        };
        const Status put = put_groups(fd, name, count);
        if (put) return put;
        Error error = put.error();
        if (reported > 0) error.message += "; " + format_count(reported, "line is", "lines are") + " in the queue";
        const bool same_again = error.code != ErrorCode::usage && error.code != ErrorCode::data;
        if (same_again) add_hint(error, "the same command with the same input puts each line once");
        return fail(std::move(error));
    }

    Status put_groups(int fd, const std::string& name, const PutReport& report) {
        BatchPut batch(queue_, {o_.batch, o_.priority, o_.metadata, due_, o_.progress}, call_, report);
        if (auto ok = batch.open(); !ok) return ok;
        LineReader reader(fd, name, o_.progress);
        for (;;) {
            const auto lines = reader.next();
            if (!lines) return fail(lines.error());
            if (lines->empty()) return batch.close();
            if (auto ok = batch.put(*lines); !ok) return ok;
        }
    }

    Status put_each(int fd, const std::string& name) {
        LineReader reader(fd, name, o_.progress);
        LineTally tally;
        for (;;) {
            auto lines = reader.next();
            if (!lines) return fail(tally.told(lines.error()));
            if (lines->empty()) return {};
            std::vector<NewTask> tasks;
            for (unsigned i = 0; i < lines->size(); ++i) tasks.push_back(new_task(i));
            std::vector<LineTally::Fate> fates(lines->size(), LineTally::Fate::not_begun);
            // The first failure begins no further put, but lets the others end: nobody could tell what became of them.
            const Status outcome = run_parallel(
                affordable(kPutsAtOnce), lines->size(), call_.stop,
                [&](std::size_t i, const std::stop_token&) -> Status {
                    const auto done = put_task(queue_, tasks[i], http::make_body(std::move((*lines)[i])), call_);
                    fates[i] = LineTally::fate_of(done);
                    if (done && o_.progress != nullptr) ++o_.progress->items;
                    return done ? Status() : Status(fail(done.error()));
                });
            for (std::size_t i = 0; i < fates.size(); ++i) tally.add(reader.numbers()[i], tasks[i].id, fates[i]);
            for (std::size_t i = 0; i < fates.size(); ++i) {
                if (fates[i] != LineTally::Fate::in) continue;
                if (auto ok = report_(tasks[i].id, false); !ok) return fail(tally.told(ok.error()));
            }
            if (!outcome) return fail(tally.told(outcome.error()));
        }
    }

  private:
    NewTask new_task(unsigned sequence) {
        // Lines of two reads never share a millisecond, so that they stay in order.
        if (sequence == 0) time_ = std::max(queue_.many.clock().wall(), time_ + std::chrono::milliseconds(1));
        Random& random = queue_.many.random();
        std::string id = new_task_id(time_, sequence, random);
        return {std::move(id), o_.priority, o_.metadata, new_task_key(random), due_, false};
    }

    // True if the task exists, with any priority, or as a dead letter.
    Result<bool> exists(const std::string& id) {
        for (const auto find : {find_task, find_dead_letter}) {
            const auto found = find(queue_, id, call_);
            if (found) return true;
            if (found.error().code != ErrorCode::not_found || found.error().http_status != 0) {
                return fail(found.error());
            }
        }
        return false;
    }

    const Queue& queue_;
    const PutOptions& o_;
    const azure::Call& call_;
    const PutReport& report_;
    std::optional<WallTime> due_;
    WallTime time_{};
};

Status check_names(const PutOptions& options) {
    if (!options.id.empty()) {
        if (options.lines) return fail(ErrorCode::usage, "--id names one task; it does not go with --lines");
        if (auto ok = check_task_id(options.id); !ok) return ok;
    }
    if (options.batch.empty()) return {};
    return options.lines ? check_batch_name(options.batch) : fail(ErrorCode::usage, "--batch goes with --lines");
}

}  // namespace

Status put_file(const Queue& queue, const PutOptions& options, const std::string& file, const azure::Call& call,
                const PutReport& report) {
    if (file == "-") return put_input(queue, options, STDIN_FILENO, "standard input", call, report);
    const auto input = open_input(file);
    return input ? put_input(queue, options, input->get(), file, call, report) : fail(input.error());
}

Status put_input(const Queue& queue, const PutOptions& options, int fd, const std::string& name,
                 const azure::Call& call, const PutReport& report) {
    if (auto ok = check_names(options); !ok) return ok;
    Putter putter(queue, options, call, report);
    if (auto ok = putter.prepare(); !ok) return ok;
    return options.lines ? putter.put_lines(fd, name) : putter.put_one(fd, name);
}

}  // namespace azlock::ops
