// `azlock watch BLOB -- COMMAND`: runs a command for each change of a blob, with the new content on its standard input.
#include <memory>

#include "base/error_text.hpp"
#include "base/http_date.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"
#include "cli/flags/flags.hpp"
#include "cli/program/command.hpp"
#include "ops/read/watch.hpp"
#include "os/child.hpp"

namespace azlock::cli {
namespace {

using std::chrono::milliseconds;
using Kind = ops::WatchEvent::Kind;

struct Options {
    std::string blob;
    ops::WatchOptions watch;
};

const char* word_of(Kind kind) {
    switch (kind) {
        case Kind::watching: return "watching";
        case Kind::changed: return "changed";
        case Kind::deleted: return "deleted";
        case Kind::trouble: return "trouble";
        case Kind::recovered: return "recovered";
    }
    return "";
}

std::string sentence_of(const ops::WatchEvent& event) {
    switch (event.kind) {
        case Kind::watching: return event.etag.empty() ? "does not exist yet" : "watching, ETag " + event.etag;
        case Kind::changed: return "changed, ETag " + event.etag + ", " + format_bytes(event.bytes);
        case Kind::deleted: return "deleted";
        case Kind::recovered: return "can be seen again, and has not changed";
        case Kind::trouble: break;
    }
    return "cannot be seen: " + error_text(event.error) + "; looking again in " +
           format_duration(std::chrono::ceil<milliseconds>(event.pause));
}

Json line(Context& context, const std::string& target, const char* event) {
    Json out;
    out["event"] = event;
    out["target"] = target;
    out["time"] = format_iso8601(context.clock().wall());
    return out;
}

Status tell(Context& context, const std::string& target, const ops::WatchEvent& event) {
    Output& output = context.output();
    if (!output.json()) {
        output.notice(printable(target + ": " + sentence_of(event)));
        return {};
    }
    Json out = line(context, target, word_of(event.kind));
    out["etag"] = or_null(event.etag);
    if (event.kind == Kind::changed) {
        out["last_modified"] = date_or_null(parse_http_date(event.last_modified));
        out["bytes"] = event.bytes;
    }
    if (event.kind == Kind::trouble) {
        out["error"] = error_json(event.error);
        out["next_look_seconds"] = std::chrono::duration<double>(event.pause).count();
    }
    return output.object(out);
}

Status tell_end(Context& context, const std::string& target, const ops::WatchEvent& event, const os::ChildEnd& end,
                std::chrono::nanoseconds took, std::optional<std::chrono::nanoseconds> again) {
    Output& output = context.output();
    if (!output.json()) {
        if (end.code == 0) return {};
        std::string text = target + ": " + os::describe_end(end);
        if (again) text += "; running it again in " + format_duration(std::chrono::ceil<milliseconds>(*again));
        output.notice(printable(text));
        return {};
    }
    Json out = line(context, target, "command_ended");
    out["etag"] = or_null(event.etag);
    out["on_delete"] = event.kind == Kind::deleted;
    out["exit_code"] = end.signal != 0 ? Json() : Json(end.code);
    out["signal"] = end.signal != 0 ? Json(end.signal) : Json();
    out["seconds"] = std::chrono::duration<double>(std::chrono::round<milliseconds>(took)).count();
    out["next_run_seconds"] = again ? Json(std::chrono::duration<double>(*again).count()) : Json();
    return output.object(out);
}

Status run(const Options& o, Context& context) {
    const auto command = need_command(context.command_line(), "azlock watch CONTAINER/BLOB -- COMMAND");
    if (!command) return fail(command.error());
    auto opened = context.open(o.blob);
    if (!opened) return fail(opened.error());
    if (auto ok = opened->address.must_be_blob(); !ok) return ok;
    if (auto ok = opened->address.must_not_be_snapshot("watched"); !ok) return ok;
    ops::WatchOptions options = o.watch;
    options.command = *command;
    options.output_to_errors = context.output().json();
    const std::string target = opened->address.to_string();
    const ops::WatchObserver observer{
        [&](const ops::WatchEvent& event) { return tell(context, target, event); },
        [&](const ops::WatchEvent& event, const os::ChildEnd& end, std::chrono::nanoseconds took,
            std::optional<std::chrono::nanoseconds> again) {
            return tell_end(context, target, event, end, took, again);
        }};
    const ops::WatchEnd end =
        ops::watch_blob(opened->client(), opened->address, options, observer, context.signals(), context.call());
    if (end.exit_code) context.set_exit_code(*end.exit_code);
    return end.status;
}

}  // namespace

void register_watch(Parser& app, Commands& commands) {
    auto o = std::make_shared<Options>();
    Parser* cmd = app.add_subcommand("watch", "Run a command whenever a blob has changed");
    cmd->add_option("BLOB", o->blob, "CONTAINER/BLOB, az://... or URL")->required();
    add_duration(*cmd, "--interval", o->watch.interval, "Time from one check to the next (default 10s)");
    cmd->add_flag("--initial", o->watch.initial, "Run the command for the version at the start, too");
    cmd->add_flag("--once", o->watch.once, "End after the first run, with the command's exit code");
    add_duration(*cmd, "--retry", o->watch.retry,
                 "If the command fails, run it again for the same version after this time (default: do not)");
    cmd->add_option("--on-delete", o->watch.on_delete, "What /bin/sh runs when the blob was deleted")
        ->type_name("COMMAND");
    cmd->add_option("--etag-file", o->watch.etag_file,
                    "Begin after the version in this file, if it exists, and save each handled version there")
        ->type_name("FILE");
    add_duration(*cmd, "--kill-after", o->watch.kill_after,
                 "Kill the command if it still runs this long after a signal told azlock to stop (default 10s)");
    cmd->footer(
        "Examples:\n"
        "  azlock watch settings/app.json --initial -- sh -c 'cat > app.json'\n"
        "  azlock watch settings/app.json --once --timeout 5m -- cat\n"
        "  azlock watch jobs/flag --on-delete ./stop.sh --etag-file etag -- ./start.sh\n\n"
        "The command gets the content on standard input, and AZLOCK_BLOB and AZLOCK_ETAG in its environment. Only one\n"
        "runs at a time. A change that comes meanwhile is handled after it has ended, whatever its exit code.\n"
        "INT, TERM, HUP and QUIT end the watch: azlock passes them to the command, waits for its end, and ends with\n"
        "exit code 128+N.\n");
    commands.add(cmd, [o](Context& context) { return run(*o, context); });
    commands.take_command(cmd);
}

}  // namespace azlock::cli
