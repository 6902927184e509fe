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

}  // namespace

Json WatchReport::line(const char* event) const {
    Json out;
    out["event"] = event;
    out["target"] = target_;
    out["time"] = format_iso8601(context_.clock().wall());
    return out;
}

Status WatchReport::tell(const ops::WatchEvent& event) {
    Output& output = context_.output();
    if (!output.json()) {
        output.notice(printable(target_ + ": " + sentence_of(event)));
        return {};
    }
    Json out = line(word_of(event.kind));
    out["etag"] = or_null(event.etag);
    if (event.kind == Kind::changed) {
        const auto modified = parse_http_date(event.last_modified);
        out["last_modified"] = date_or_null(modified);
        out["bytes"] = event.bytes;
    }
    if (event.kind == Kind::trouble) {
        out["error"] = error_json(event.error);
        out["next_look_seconds"] = std::chrono::duration<double>(event.pause).count();
    }
    return output.object(out);
}

Status WatchReport::tell_end(const os::ChildEnd& end, const std::string& etag, bool deletion,
                             std::chrono::nanoseconds took) {
    Output& output = context_.output();
    if (!output.json()) {
        if (end.code != 0) output.notice(printable(target_ + ": " + os::describe_end(end)));
        return {};
    }
    Json out = line("command_ended");
    out["etag"] = or_null(etag);
    out["on_delete"] = deletion;
    out["exit_code"] = end.signal != 0 ? Json() : Json(end.code);
    out["signal"] = end.signal != 0 ? Json(end.signal) : Json();
    out["seconds"] = std::chrono::duration<double>(std::chrono::round<milliseconds>(took)).count();
    return output.object(out);
}

}  // namespace azlock::cli
