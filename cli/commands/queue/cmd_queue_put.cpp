// `azlock queue put QUEUE [FILE|-]`: a task, or with --lines a task for each line.
#include <memory>

#include <unistd.h>

#include "azure/refusals.hpp"
#include "base/text.hpp"
#include "base/worker_pool.hpp"
#include "cli/commands/queue/cmd_queue.hpp"
#include "cli/flags/flags.hpp"
#include "ops/queue/put.hpp"
#include "ops/read/content_file.hpp"

namespace azlock::cli {
namespace {

constexpr std::size_t kParallel = 16;
constexpr std::size_t kBatch = 512;
constexpr std::size_t kLongestLine = 4 * 1024 * 1024;

struct Options {
    std::string queue;
    std::string file = "-";
    std::string id;
    int priority = ops::kDefaultPriority;
    std::optional<std::chrono::milliseconds> delay;
    std::vector<std::string> metadata;
    bool lines = false;
    bool if_absent = false;
    bool create_container = false;
};

// Reads the lines of a stream, up to kBatch at a time. Empty lines are left out.
class LineReader {
  public:
    LineReader(int fd, std::string name) : fd_(fd), name_(std::move(name)) {}

    // An empty result means the end. The last line may have no newline.
    Result<std::vector<std::string>> batch() {
        std::vector<std::string> out;
        while (out.size() < kBatch) {
            const std::size_t end = text_.find('\n', at_);
            if (end == std::string::npos && !ended_) {
                if (!out.empty()) break;  // complete lines must not wait for more input
                if (auto ok = more(); !ok) return fail(ok.error());
                continue;
            }
            std::string line = text_.substr(at_, end == std::string::npos ? end : end - at_);
            at_ = end == std::string::npos ? text_.size() : end + 1;
            if (!line.empty()) out.push_back(std::move(line));
            if (end == std::string::npos) break;
        }
        return out;
    }

  private:
    Status more() {
        text_.erase(0, at_);
        at_ = 0;
        if (text_.size() > kLongestLine) {
            return fail(ErrorCode::data, name_ + ": a line is longer than 4 MiB", "put it without --lines");
        }
        char piece[64 * 1024];
        ssize_t size = 0;
        do size = read(fd_, piece, sizeof piece);
        while (size < 0 && errno == EINTR);
        if (size < 0) return fail(file_error(ErrorCode::input_missing, "read", name_, errno));
        ended_ = size == 0;
        text_.append(piece, static_cast<std::size_t>(size));
        return {};
    }

    int fd_;
    std::string name_;
    std::string text_;
    std::size_t at_ = 0;
    bool ended_ = false;
};

class Putter {
  public:
    Putter(const Options& options, Context& context, OpenedQueue many, OpenedQueue single, int retries)
        : o_(options), context_(context), many_(std::move(many)), single_(std::move(single)) {
        retry_.max_attempts = retries + 1;
    }

    Status prepare() {
        auto metadata = read_metadata(o_.metadata);
        if (!metadata) return fail(metadata.error());
        metadata_ = std::move(*metadata);
        if (o_.create_container) {
            if (auto made = many_.client().ensure_container(many_.name.container, context_.call()); !made) return made;
        }
        if (!o_.delay) return {};
        const auto ahead = ops::service_clock_ahead(many_.client(), many_.name, context_.call());
        if (!ahead) return fail(ahead.error());
        due_ = context_.clock().wall() + *ahead + *o_.delay;
        // The metadata holds whole seconds.
        due_ = std::chrono::ceil<std::chrono::seconds>(*due_);
        return {};
    }

    Status put_one(int fd, const std::string& name) {
        auto file = ops::ContentFile::create(UINT64_MAX);
        if (!file) return fail(file.error());
        if (auto ok = (*file)->fill_from(fd, name); !ok) return ok;
        const auto body = (*file)->body();
        if (!body) return fail(body.error());
        ops::NewTask task = new_task(0);
        if (!o_.id.empty()) {
            task.id = o_.id;
            auto elsewhere = exists_elsewhere(o_.id);
            if (!elsewhere) return fail(elsewhere.error());
            if (*elsewhere) return report(task.id, false);
        }
        const auto put =
            ops::put_task({many_.client(), single_.client()}, many_.name, task, *body, retry_, context_.call());
        if (!put) return fail(put.error());
        return report(task.id, *put);
    }

    Status put_lines(int fd, const std::string& name) {
        LineReader reader(fd, name);
        for (;;) {
            auto lines = reader.batch();
            if (!lines) return fail(lines.error());
            if (lines->empty()) return {};
            std::vector<ops::NewTask> tasks;
            for (std::size_t i = 0; i < lines->size(); ++i) tasks.push_back(new_task(static_cast<unsigned>(i)));
            std::vector<char> put(lines->size(), 0);
            const Status outcome = run_parallel(
                kParallel, lines->size(), context_.call().stop, [&](std::size_t i, std::stop_token stop) -> Status {
                    const auto done = ops::put_task({many_.client(), single_.client()}, many_.name, tasks[i],
                                                    http::make_body(std::move((*lines)[i])), retry_,
                                                    {context_.call().deadline, std::move(stop)});
                    if (!done) return fail(done.error());
                    put[i] = 1;
                    return {};
                });
            for (std::size_t i = 0; i < put.size(); ++i) {
                if (put[i] == 0) continue;
                if (auto ok = report(tasks[i].id, true); !ok) return ok;
            }
            if (!outcome) return outcome;
        }
    }

  private:
    ops::NewTask new_task(unsigned sequence) {
        ops::NewTask out;
        // Batches of one process never share a millisecond, so that they stay in order.
        if (sequence == 0) {
            const WallTime now = context_.clock().wall();
            time_ = std::max(now, time_ + std::chrono::milliseconds(1));
        }
        out.id = ops::new_task_id(time_, sequence, many_.client().random());
        out.priority = o_.priority;
        out.metadata = metadata_;
        out.key = ops::new_task_key(many_.client().random());
        out.due = due_;
        return out;
    }

    // True if the task exists, with any priority, or as a dead letter.
    Result<bool> exists_elsewhere(const std::string& id) {
        for (const auto find : {ops::find_task, ops::find_dead_letter}) {
            const auto found = find(many_.client(), many_.name, id, context_.call());
            if (found) return true;
            if (found.error().code != ErrorCode::not_found || found.error().http_status != 0) {
                return fail(found.error());
            }
        }
        return false;
    }

    Status report(const std::string& id, bool put) {
        if (!put && !o_.if_absent) {
            return fail(ErrorCode::precondition,
                        "the task " + printable(id) + " is already in the queue " + printable(many_.name.to_string()),
                        "with --if-absent that is a success; 'azlock queue retry' puts a dead letter back");
        }
        if (!context_.output().json()) return context_.output().line(id);
        Json out;
        out["id"] = id;
        out["priority"] = o_.priority;
        out["existed"] = !put;
        return context_.output().object(out);
    }

    const Options& o_;
    Context& context_;
    OpenedQueue many_;
    OpenedQueue single_;
    http::RetryPolicy retry_;
    azure::Metadata metadata_;
    std::optional<WallTime> due_;
    WallTime time_{};
};

Status run(const Options& o, Context& context) {
    if (!o.id.empty()) {
        if (o.lines) return fail(ErrorCode::usage, "--id names one task; it does not go with --lines");
        if (auto ok = ops::check_task_id(o.id); !ok) return ok;
    }
    auto many = open_queue(context, o.queue);
    if (!many) return fail(many.error());
    auto single = open_queue_single(context, o.queue);
    if (!single) return fail(single.error());
    const auto retries = context.retries();
    if (!retries) return fail(retries.error());
    Fd opened;
    if (o.file != "-") {
        auto input = open_input(o.file);
        if (!input) return fail(input.error());
        opened = std::move(*input);
    }
    const int fd = opened ? opened.get() : STDIN_FILENO;
    const std::string name = opened ? o.file : "standard input";
    Putter putter(o, context, std::move(*many), std::move(*single), *retries);
    if (auto ok = putter.prepare(); !ok) return ok;
    return o.lines ? putter.put_lines(fd, name) : putter.put_one(fd, name);
}

}  // namespace

void register_queue_put(Parser& group, Commands& commands) {
    auto o = std::make_shared<Options>();
    Parser* cmd = group.add_subcommand("put", "Put a task, or one for each line, and print the ids");
    add_queue_target(*cmd, o->queue);
    cmd->add_option("FILE", o->file, "File with the task's content, - for standard input (default)");
    cmd->add_option("--id", o->id, "Id of the task; fails (73) if the queue already has it")->type_name("ID");
    cmd->add_option("--priority", o->priority, "0 (first) to 9 (last); default 5")
        ->type_name("0..9")
        ->range(ops::kMostUrgent, ops::kLeastUrgent);
    add_duration(*cmd, "--delay", o->delay, "Do not start the task before this time has passed");
    cmd->add_option("--metadata", o->metadata, "Metadata of the task's blob; may be repeated")
        ->type_name("NAME=VALUE")
        ->repeated();
    cmd->add_flag("--lines", o->lines, "A task for each line (without its newline; empty lines are left out)");
    cmd->add_flag("--if-absent", o->if_absent, "Succeed if the task exists already");
    cmd->add_flag("--create-container", o->create_container, "Create the container if it does not exist");
    cmd->footer(
        "Examples:\n"
        "  echo 'movie 17' | azlock queue put jobs/encode\n"
        "  azlock queue put jobs/encode order.json --id order-4711 --if-absent --priority 1\n"
        "  find . -name '*.wav' | azlock queue put jobs/encode --lines --delay 10m\n");
    commands.add(cmd, [o](Context& context) { return run(*o, context); });
}

}  // namespace azlock::cli
