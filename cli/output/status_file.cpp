#include "cli/output/status_file.hpp"

#include <sys/stat.h>

#include "base/atomic_file.hpp"
#include "base/error_text.hpp"
#include "base/text.hpp"
#include "cli/output/output.hpp"

namespace azlock::cli {
namespace {

std::string starting() {
    return Json{{"outcome", "starting"}, {"exit_code", nullptr}}.dump(2) + "\n";
}

bool holds(const std::string& path, const std::string& text) {
    const auto file = open_input(path);
    std::string content(text.size() + 1, '\0');
    const auto got =
        file ? read_full(file->get(), std::as_writable_bytes(std::span(content)), path) : fail(file.error());
    return got && *got == text.size() && content.starts_with(text);
}

}  // namespace

Result<StatusFile> StatusFile::begin(const std::string& path) {
    StatusFile out;
    if (path.empty()) return out;
    struct stat info {};
    if (path == "-" || (::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode))) {
        return fail(ErrorCode::usage, "--status-file: " + in_quotes(path) + " is no regular file",
                    "azlock replaces the file several times, so it needs a file of its own");
    }
    if (auto ok = replace_file(path, starting()); !ok) return fail(ok.error());
    out.path_ = path;
    return out;
}

Status StatusFile::write(const Json& status) {
    if (path_.empty()) return {};
    Status written = replace_file(path_, status.dump(2) + "\n");
    failed_ = !written;
    return written;
}

void StatusFile::end(const Error& error, int exit_code) const {
    if (path_.empty() || !holds(path_, starting())) return;
    Json out;
    out["outcome"] = "error";
    out["exit_code"] = exit_code;
    out["reason"] = error_text(error);
    out["error"] = error_json(error);
    // The error itself is on stderr in any case.
    (void)replace_file(path_, out.dump(2) + "\n");
}

}  // namespace azlock::cli
