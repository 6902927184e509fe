#include "ops/lock/term_point_file.hpp"

#include <cerrno>
#include <string_view>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/text.hpp"

namespace azlock::ops {
namespace {

// A fixed width, so that one write replaces the whole number.
constexpr int kDigits = 20;
constexpr std::string_view kBefore = "{\"term_at_boottime_ns\":\"";
constexpr std::string_view kAfter = "\"}\n";

}  // namespace

Result<TermPointFile> TermPointFile::create() {
    TermPointFile out;
    out.file_ = Fd(memfd_create("azlock", MFD_CLOEXEC));
    if (!out.file_) return fail(file_error(ErrorCode::io, "cannot make", "a file in memory", errno));
    out.set(kNoDeadline);
    return out;
}

void TermPointFile::set(BootTime term_at) {
    std::string number = std::to_string(term_at == kNoDeadline ? 0 : term_at.time_since_epoch().count());
    number.insert(0, static_cast<std::size_t>(kDigits) - number.size(), '0');
    const std::string text = std::string(kBefore) + number + std::string(kAfter);
    (void)!pwrite(file_.get(), text.data(), text.size(), 0);
}

std::string TermPointFile::path() const {
    return "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(file_.get());
}

std::optional<BootTime> read_term_point(const std::string& path) {
    if (!path.starts_with("/proc/")) return std::nullopt;
    std::string last;
    // Two equal reads: it was not being written meanwhile.
    for (int attempt = 0; attempt < 10; ++attempt) {
        const Fd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
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

}  // namespace azlock::ops
