#include "cli/commands/lock/status_file.hpp"

#include <filesystem>

#include <sys/wait.h>

#include "base/atomic_file.hpp"
#include "base/text.hpp"

namespace azlock::cli {
namespace {

Json to_json(const ops::LockStatus& s, std::optional<int> exit_code) {
    Json out;
    out["outcome"] = s.outcome;
    out["name"] = printable(s.name);
    out["url"] = s.url;
    out["slot"] = s.slot;
    out["fence"] = s.fence;
    Json command = nullptr;
    if (s.pid) {
        command = Json::object();
        command["pid"] = *s.pid;
        const bool ended = s.wait_status.has_value();
        const int status = s.wait_status.value_or(0);
        command["exit_code"] = ended && WIFEXITED(status) ? Json(WEXITSTATUS(status)) : Json();
        command["signal"] = ended && WIFSIGNALED(status) ? Json(WTERMSIG(status)) : Json();
    }
    out["command"] = command;
    out["exit_code"] = exit_code;
    out["waited_ms"] = s.waited.count();
    out["held_ms"] = s.held ? Json(s.held->count()) : Json();
    out["reason"] = or_null(printable(s.reason));
    return out;
}

}  // namespace

Result<std::string> status_file_path(const std::string& path) {
    if (path.empty()) return path;
    std::error_code failure;
    const auto absolute = std::filesystem::absolute(path, failure);
    if (failure) return fail(file_error(ErrorCode::io, "cannot find the folder of", path, failure.value()));
    return absolute.string();
}

Status write_status_file(const std::string& path, const ops::LockStatus& status, std::optional<int> exit_code) {
    if (path.empty()) return {};
    auto file = AtomicFile::create(path);
    if (!file) return fail(file.error());
    if (auto ok = file->write_at(0, as_bytes(to_json(status, exit_code).dump(2) + "\n")); !ok) return ok;
    return file->commit();
}

}  // namespace azlock::cli
