#include "cli/commands/lock/lock_status.hpp"

#include <cerrno>
#include <cstdlib>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/atomic_file.hpp"
#include "base/text.hpp"

namespace azlock::cli {
namespace {

// A fixed width, so that it is overwritten in one go.
constexpr int kDigits = 20;
constexpr std::string_view kBefore = "{\"term_at_boottime_ns\":\"";
constexpr std::string_view kAfter = "\"}\n";

template <typename T>
Json or_null(const std::optional<T>& value) {
    return value ? Json(*value) : Json(nullptr);
}

}  // namespace

Json to_json(const LockStatus& s) {
    Json out;
    out["outcome"] = s.outcome;
    out["name"] = printable(s.name);
    out["url"] = s.url;
    out["slot"] = s.slot;
    out["fence"] = or_null(s.fence);
    Json command = nullptr;
    if (s.pid) {
        command = Json::object();
        command["pid"] = *s.pid;
        const bool ended = s.wait_status.has_value();
        const int status = s.wait_status.value_or(0);
        command["exit_code"] = ended && WIFEXITED(status) ? Json(WEXITSTATUS(status)) : Json(nullptr);
        command["signal"] = ended && WIFSIGNALED(status) ? Json(WTERMSIG(status)) : Json(nullptr);
    }
    out["command"] = command;
    out["exit_code"] = or_null(s.exit_code);
    out["waited_ms"] = s.waited.count();
    out["held_ms"] = s.held ? Json(s.held->count()) : Json(nullptr);
    out["reason"] = s.reason.empty() ? Json(nullptr) : Json(printable(s.reason));
    return out;
}

Result<StatusFile> StatusFile::create(std::string path) {
    StatusFile out;
    if (!path.empty() && !path.starts_with('/')) {
        char* here = getcwd(nullptr, 0);
        if (here == nullptr) return fail(file_error(ErrorCode::io, "cannot find the folder of", path, errno));
        path = std::string(here) + "/" + path;
        std::free(here);
    }
    out.path_ = std::move(path);
    out.keeper_ = Fd(memfd_create("azlock", MFD_CLOEXEC));
    if (!out.keeper_) return fail(file_error(ErrorCode::io, "cannot make", "a file in memory", errno));
    out.set_term_point(kNoDeadline);
    return out;
}

Status StatusFile::write(const LockStatus& status) {
    if (path_.empty()) return {};
    auto file = AtomicFile::create(path_);
    if (!file) return fail(file.error());
    const std::string text = to_json(status).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
    if (auto ok = file->write_at(0, as_bytes(text)); !ok) return ok;
    return file->commit();
}

void StatusFile::set_term_point(BootTime term_at) {
    std::string number = std::to_string(term_at == kNoDeadline ? 0 : term_at.time_since_epoch().count());
    number.insert(0, static_cast<std::size_t>(kDigits) - number.size(), '0');
    const std::string text = std::string(kBefore) + number + std::string(kAfter);
    (void)!pwrite(keeper_.get(), text.data(), text.size(), 0);
}

std::string StatusFile::keeper_path() const {
    return "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(keeper_.get());
}

std::string StatusFile::path() const {
    return path_.empty() ? keeper_path() : path_;
}

std::optional<BootTime> read_term_point(const std::string& keeper_path) {
    if (!keeper_path.starts_with("/proc/")) return std::nullopt;
    std::string last;
    // Twice the same: not while it is being written.
    for (int attempt = 0; attempt < 10; ++attempt) {
        const Fd file(open(keeper_path.c_str(), O_RDONLY | O_CLOEXEC));
        char text[128];
        const ssize_t size = file ? pread(file.get(), text, sizeof text, 0) : -1;
        if (size != static_cast<ssize_t>(kBefore.size() + kDigits + kAfter.size())) return std::nullopt;
        const std::string now(text, static_cast<std::size_t>(size));
        if (now != last) {
            last = now;
            continue;
        }
        if (!now.starts_with(kBefore) || !now.ends_with(kAfter)) return std::nullopt;
        const auto number = parse_u64(std::string_view(now).substr(kBefore.size(), kDigits));
        if (!number) return std::nullopt;
        if (*number == 0) return kNoDeadline;
        return BootTime(std::chrono::nanoseconds(static_cast<std::int64_t>(*number)));
    }
    return std::nullopt;
}

}  // namespace azlock::cli
