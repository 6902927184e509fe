#include "cli/commands/lock/status_file.hpp"

#include <cerrno>
#include <cstdlib>

#include <sys/wait.h>
#include <unistd.h>

#include "base/atomic_file.hpp"
#include "base/text.hpp"

namespace azlock::cli {

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

Result<StatusFile> StatusFile::at(std::string path) {
    StatusFile out;
    if (!path.empty() && !path.starts_with('/')) {
        char* here = getcwd(nullptr, 0);
        if (here == nullptr) return fail(file_error(ErrorCode::io, "cannot find the folder of", path, errno));
        path = std::string(here) + "/" + path;
        std::free(here);
    }
    out.path_ = std::move(path);
    return out;
}

Status StatusFile::write(const ops::LockStatus& status, std::optional<int> exit_code) const {
    if (path_.empty()) return {};
    auto file = AtomicFile::create(path_);
    if (!file) return fail(file.error());
    const std::string text = to_json(status, exit_code).dump(2) + "\n";
    if (auto ok = file->write_at(0, as_bytes(text)); !ok) return ok;
    return file->commit();
}

}  // namespace azlock::cli
