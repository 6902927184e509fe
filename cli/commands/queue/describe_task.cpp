#include "cli/commands/queue/describe_task.hpp"

#include "base/http_date.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"
#include "ops/lease/owner_record.hpp"

namespace azlock::cli {
namespace {

std::string span_text(const std::optional<std::chrono::milliseconds>& span) {
    return span ? format_duration(*span) : "?";
}

bool is_ours(const std::string& name) {
    return istarts_with(name, "azl_");
}

// The end of a command's error output in one line, safe for a terminal.
std::string one_line(std::string text) {
    while (text.ends_with('\n')) text.pop_back();
    return printable(text);
}

std::string holder(const ops::QueueTask& task, WallTime now) {
    return ops::describe_owner(ops::read_owner_record(task.metadata), now);
}

}  // namespace

Json to_json(const ops::QueueTask& task, WallTime now) {
    const ops::TaskState state = ops::state_of(task, now);
    Json out;
    out["id"] = task.id;
    out["state"] = ops::to_string(state);
    out["priority"] = task.priority;
    out["bytes"] = task.size;
    out["attempts"] = task.attempts;
    out["failures"] = ops::failures_so_far(task);
    out["age_seconds"] = seconds_or_null(ops::age_of(task, now));
    out["put"] = date_or_null(task.put);
    out["due"] = date_or_null(task.due);
    out["exit_code"] = task.exit_code;
    out["why"] = or_null(printable(task.why));
    out["holder"] = state == ops::TaskState::running ? Json(holder(task, now)) : Json();
    if (state == ops::TaskState::dead) {
        out["died"] = date_or_null(task.died);
        out["stderr"] = is_utf8(task.error_tail) ? task.error_tail : printable(task.error_tail);
    }
    Json metadata = Json::object();
    for (const auto& [name, value] : task.metadata) {
        if (!is_ours(name)) metadata[name] = value;
    }
    out["metadata"] = std::move(metadata);
    return out;
}

std::vector<std::string> task_cells(const ops::QueueTask& task, WallTime now) {
    return {std::string(ops::to_string(ops::state_of(task, now))), std::to_string(task.priority),
            span_text(ops::age_of(task, now)), std::to_string(task.attempts)};
}

std::string task_note(const ops::QueueTask& task, WallTime now) {
    switch (ops::state_of(task, now)) {
        case ops::TaskState::running: return holder(task, now);
        case ops::TaskState::delayed:
            return "in " + format_duration(std::chrono::ceil<std::chrono::milliseconds>(*task.due - now));
        case ops::TaskState::ready:
        case ops::TaskState::archived:
        case ops::TaskState::dead: break;
    }
    return printable(task.why);
}

std::string describe(const ops::QueueTask& task, WallTime now) {
    const ops::TaskState state = ops::state_of(task, now);
    std::string out = "id: " + printable(task.id);
    const auto line = [&](const std::string& name, const std::string& value) { out += "\n" + name + ": " + value; };
    line("state", std::string(ops::to_string(state)));
    line("priority", std::to_string(task.priority));
    line("size", std::to_string(task.size));
    line("attempts", std::to_string(task.attempts) + " (failures: " + std::to_string(ops::failures_so_far(task)) + ")");
    if (task.put) line("put", format_iso8601(*task.put) + ", " + span_text(ops::age_of(task, now)) + " ago");
    if (state == ops::TaskState::delayed) line("due", format_iso8601(*task.due));
    if (state == ops::TaskState::running) line("holder", holder(task, now));
    if (task.exit_code) line("last exit code", std::to_string(*task.exit_code));
    if (!task.why.empty()) line("last attempt", printable(task.why));
    if (task.died) line("died", format_iso8601(*task.died));
    if (!task.error_tail.empty()) line("stderr", one_line(task.error_tail));
    for (const auto& [name, value] : task.metadata) {
        if (!is_ours(name)) line("metadata " + name, printable(value));
    }
    return out;
}

}  // namespace azlock::cli
