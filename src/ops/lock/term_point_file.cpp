#include "ops/lock/term_point_file.hpp"

#include <cerrno>
#include <string_view>

#include <sys/mman.h>
#include <unistd.h>

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

}  // namespace azlock::ops
