#include "cli/commands/blobs/watch_report.hpp"

#include "base/http_date.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"
#include "cli/output/describe_blob.hpp"
#include "os/supervised_command.hpp"

namespace azlock::cli {
namespace {

using std::chrono::milliseconds;
using Kind = ops::WatchEvent::Kind;

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
                std::chrono::nanoseconds took) {
    Output& output = context.output();
    if (!output.json()) {
        if (end.code != 0) output.notice(printable(target + ": " + os::describe_end(end)));
        return {};
    }
    Json out = line(context, target, "command_ended");
    out["etag"] = or_null(event.etag);
    out["on_delete"] = event.kind == Kind::deleted;
    out["exit_code"] = end.signal != 0 ? Json() : Json(end.code);
    out["signal"] = end.signal != 0 ? Json(end.signal) : Json();
    out["seconds"] = std::chrono::duration<double>(std::chrono::round<milliseconds>(took)).count();
    return output.object(out);
}

}  // namespace

ops::WatchObserver watch_report(Context& context, const std::string& target) {
    return {[&context, target](const ops::WatchEvent& event) { return tell(context, target, event); },
            [&context, target](const ops::WatchEvent& event, const os::ChildEnd& end, std::chrono::nanoseconds took) {
                return tell_end(context, target, event, end, took);
            }};
}

}  // namespace azlock::cli
