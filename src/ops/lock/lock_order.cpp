#include "ops/lock/lock_order.hpp"

#include <csignal>
#include <filesystem>

#include "azure/url.hpp"
#include "base/atomic_file.hpp"
#include "os/exit_status.hpp"
#include "os/signals.hpp"

namespace azlock::ops {
namespace {

// The absolute path; empty for an empty path.
Result<std::string> absolute_path(const std::string& path) {
    if (path.empty()) return path;
    std::error_code failure;
    const auto absolute = std::filesystem::absolute(path, failure);
    if (failure) return fail(file_error(ErrorCode::io, "cannot find the folder of", path, failure.value()));
    return absolute.string();
}

}  // namespace

int exit_code_of(const LockedRunEnd& end, const LockCodes& codes) {
    using Kind = LockedRunEnd::Kind;
    const SessionOutcome& session = end.session;
    switch (end.kind) {
        case Kind::ran:
            return session.wait_status ? os::exit_code_of(*session.wait_status)
                                       : codes.of_error(make_error(ErrorCode::internal, "the command has no status"));
        case Kind::timed_out: return os::kExitTimedOut;
        case Kind::not_started: return os::exit_code_of(os::start_failure(session.at_exec, session.error));
        case Kind::signalled: return 128 + session.signal;
        case Kind::lost:
        case Kind::refused: break;
    }
    return codes.busy && end.error->code == ErrorCode::busy ? *codes.busy : codes.of_error(*end.error);
}

Result<LockedRunEnd> run_lock_order(const LockOrder& order, const azure::BlobAddress& address, LockedRunParts parts) {
    auto blobs = make_lock_name(order.run.name, address, order.run.blobs.slots);
    if (!blobs) return fail(blobs.error());
    auto file = absolute_path(order.status_file);
    if (!file) return fail(file.error());
    LockedRunOptions options = order.run;
    options.blobs = std::move(*blobs);
    // The command and the status file get the name, and not the SAS of a URL.
    if (azure::looks_like_url(options.name)) options.name = options.name.substr(0, options.name.find('?'));
    options.status_path = *file;
    const auto write = [&](const LockStatus& status, std::optional<int> code) -> Status {
        return file->empty() ? Status() : replace_file(*file, order.text_of(status, code));
    };
    const auto note = [&](const LockStatus& status, std::optional<int> code) {
        if (auto written = write(status, code); !written) order.complain(written.error());
    };
    parts.note = [&](const LockStatus& status) { note(status, std::nullopt); };
    parts.ended = [&](const LockStatus& status, const LockedRunEnd& end) {
        note(status, exit_code_of(end, order.codes));
    };
    auto run = LockedRun::make(std::move(options), parts);
    if (!run) return fail(run.error());
    if (auto writable = write(run->status(), std::nullopt); !writable) return fail(writable.error());
    LockedRunEnd end = order.go(*run);
    if (!end.session.interrupted) return end;
    // If a shell runs the command itself, ^C ends every process of our group, the script around it too. So azlock does
    // the same. (The shell's $? is 130 in both cases.)
    parts.guard.dismiss();
    os::die_with_group_of(SIGINT);
}

}  // namespace azlock::ops
