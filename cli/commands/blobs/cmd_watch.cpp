// `azlock watch BLOB -- COMMAND`: runs a command for each change of a blob, with the new content on its standard input.
#include <memory>

#include <fcntl.h>
#include <unistd.h>

#include "base/scratch_file.hpp"
#include "base/text.hpp"
#include "cli/commands/blobs/watch_report.hpp"
#include "cli/flags/flags.hpp"
#include "cli/output/exit_code.hpp"
#include "cli/program/command.hpp"
#include "ops/read/etag_file.hpp"
#include "os/exit_status.hpp"
#include "os/supervised_command.hpp"

namespace azlock::cli {
namespace {

using std::chrono::milliseconds;

struct Options {
    std::string blob;
    std::optional<milliseconds> interval;
    std::optional<milliseconds> kill_after;
    std::string on_delete;
    std::string etag_file;
    bool initial = false;
    bool once = false;
};

constexpr milliseconds kInterval{10'000};
constexpr milliseconds kKillAfter{10'000};

// The content for one run, in its own temporary file. Processes of an earlier run may still read the earlier file.
class Content final : public ops::DownloadTarget {
  public:
    [[nodiscard]] Status write(ByteView data) override {
        if (!file_) {
            auto made = make_scratch_file(folder_);
            if (!made) return fail(made.error());
            file_ = std::move(*made);
        }
        if (auto ok = write_full_at(file_.get(), position_, data, folder_); !ok) return ok;
        position_ += data.size();
        return {};
    }
    [[nodiscard]] bool restart() override {
        position_ = 0;
        file_.reset();
        return true;
    }
    // A descriptor that reads from the start. Error: io.
    [[nodiscard]] Result<Fd> reader() const {
        const std::string path = file_ ? "/proc/self/fd/" + std::to_string(file_.get()) : std::string("/dev/null");
        Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
        if (!fd) return fail(file_error(ErrorCode::io, "read a temporary file in", folder_, errno));
        return fd;
    }

  private:
    std::string folder_ = scratch_folder();
    Fd file_;
    std::uint64_t position_ = 0;
};

class Watching {
  public:
    Watching(const Options& o, Opened& opened, Context& context)
        : o_(o),
          context_(context),
          target_(opened.address.to_string()),
          report_(context, target_),
          watch_(opened.client(), opened.address, content_, o.interval.value_or(kInterval)) {}

    Status run() {
        if (auto ok = begin(); !ok) return ok;
        while (!ended_) {
            auto event = watch_.next(context_.call());
            if (!event) return fail(event.error());
            if (auto ok = report_.tell(*event); !ok) return ok;
            if (auto ok = handle(*event); !ok) return ok;
        }
        return {};
    }

  private:
    // An existing ETag file tells which version was seen last; an empty one tells that there was no blob.
    Status begin() {
        if (!o_.etag_file.empty() && ::access(o_.etag_file.c_str(), F_OK) == 0) {
            auto etag = ops::read_etag_file(o_.etag_file);
            if (!etag) return fail(etag.error());
            watch_.set_seen(std::move(*etag));
        } else if (o_.initial) {
            watch_.set_seen({});
        }
        return {};
    }

    Status handle(const ops::WatchEvent& event) {
        using Kind = ops::WatchEvent::Kind;
        if (event.kind == Kind::watching) return save(event.etag);
        if (event.kind == Kind::changed) {
            auto input = content_.reader();
            if (!input) return fail(input.error());
            return run_one(context_.command_line(), event, input->get());
        }
        if (event.kind != Kind::deleted) return {};
        if (o_.on_delete.empty()) return save({});
        const Fd nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
        return run_one({"/bin/sh", "-c", o_.on_delete}, event, nothing.get());
    }

    Status run_one(std::vector<std::string> argv, const ops::WatchEvent& event, int input) {
        const bool deletion = event.kind == ops::WatchEvent::Kind::deleted;
        os::ChildOptions child{std::move(argv)};
        child.environment_changes = {"AZLOCK_BLOB=" + target_, "AZLOCK_ETAG=" + event.etag};
        child.input = input;
        child.output_to_errors = context_.output().json();
        const BootTime start = context_.clock().now();
        const auto end = os::run_supervised(std::move(child), o_.kill_after.value_or(kKillAfter), context_.signals(),
                                            context_.clock());
        if (!end) {
            context_.set_exit_code(os::exit_code_of(os::start_failure(end.error())));
            return fail(end.error());
        }
        if (*end) {
            if (auto ok = report_.tell_end(**end, event.etag, deletion, context_.clock().now() - start); !ok) return ok;
            // If the command fails, its version is not saved: the next azlock handles it again.
            if (auto ok = (*end)->code == 0 ? save(deletion ? "" : event.etag) : Status(); !ok) return ok;
        }
        if (const int asked = context_.signals().asked(); asked != 0) {
            context_.set_exit_code(128 + asked);
            return fail(ErrorCode::cancelled, "stopped by a signal; the command has ended");
        }
        if (o_.once) {
            ended_ = true;
            context_.set_exit_code((*end)->code);
        }
        return {};
    }

    [[nodiscard]] Status save(const std::string& etag) const {
        return o_.etag_file.empty() ? Status() : ops::save_etag_file(o_.etag_file, etag);
    }

    const Options& o_;
    Context& context_;
    std::string target_;
    Content content_;
    WatchReport report_;
    ops::BlobWatch watch_;
    bool ended_ = false;
};

Status run(const Options& o, Context& context) {
    if (context.command_line().empty()) {
        return fail(ErrorCode::usage, "no command was given",
                    "give it after --, as in 'azlock watch CONTAINER/BLOB -- COMMAND'");
    }
    if (o.interval && o.interval->count() == 0) return fail(ErrorCode::usage, "--interval: must be more than 0");
    auto opened = context.open(o.blob);
    if (!opened) return fail(opened.error());
    if (opened->address.is_container())
        return fail(ErrorCode::usage, "'" + printable(o.blob) + "' names no blob", "name it as CONTAINER/BLOB");
    if (!opened->address.snapshot.empty()) return fail(ErrorCode::usage, "a snapshot does not change");
    return Watching(o, *opened, context).run();
}

}  // namespace

void register_watch(Parser& app, Commands& commands) {
    auto o = std::make_shared<Options>();
    Parser* cmd = app.add_subcommand("watch", "Run a command whenever a blob has changed");
    cmd->add_option("BLOB", o->blob, "CONTAINER/BLOB, az://... or URL")->required();
    add_duration(*cmd, "--interval", o->interval, "Time from one check to the next (default 10s)");
    cmd->add_flag("--initial", o->initial, "Run the command for the version at the start, too");
    cmd->add_flag("--once", o->once, "End after the first run, with the command's exit code");
    cmd->add_option("--on-delete", o->on_delete, "What /bin/sh runs when the blob was deleted")->type_name("COMMAND");
    cmd->add_option("--etag-file", o->etag_file,
                    "Begin after the version in this file, if it exists, and save each handled version there")
        ->type_name("FILE");
    add_duration(*cmd, "--kill-after", o->kill_after,
                 "Kill the command if it still runs this long after a signal told azlock to stop (default 10s)");
    cmd->footer(
        "Examples:\n"
        "  azlock watch settings/app.json --initial -- sh -c 'cat > app.json && systemctl reload app'\n"
        "  azlock watch settings/app.json --once --timeout 5m -- cat\n"
        "  azlock watch jobs/flag --on-delete ./stop.sh --etag-file seen.etag -- ./start.sh\n\n"
        "The command gets the content on standard input, and AZLOCK_BLOB and AZLOCK_ETAG in its environment. Only one\n"
        "runs at a time. A change that comes meanwhile is handled after it has ended, whatever its exit code.\n"
        "INT, TERM, HUP and QUIT end the watch: azlock passes them to the command, waits for its end, and ends with\n"
        "exit code 128+N.\n");
    commands.add(cmd, [o](Context& context) { return run(*o, context); });
    commands.take_command(cmd);
}

}  // namespace azlock::cli
