#include "ops/read/sealed_content.hpp"

#include <cerrno>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/quantity.hpp"

namespace azlock::ops {
namespace {

constexpr const char* kName = "a file in memory";

}  // namespace

Error too_large(const std::string& what, std::uint64_t max_size) {
    return make_error(ErrorCode::data, what + " is larger than " + format_bytes(max_size),
                      "--max-size raises the limit");
}

Result<SealedContent> SealedContent::make(std::uint64_t max_size) {
    Fd fd(memfd_create("azlock", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!fd) return fail(file_error(ErrorCode::io, "make", kName, errno));
    return SealedContent(std::move(fd), max_size);
}

Status SealedContent::write(ByteView data) {
    if (data.size() > max_size_ - size_) return fail(too_large("the blob", max_size_));
    if (auto ok = write_full_at(fd_.get(), size_, data, kName); !ok) return ok;
    size_ += data.size();
    return {};
}

bool SealedContent::restart() {
    size_ = 0;
    return ftruncate(fd_.get(), 0) == 0;
}

Status SealedContent::seal() {
    if (fcntl(fd_.get(), F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) != 0) {
        return fail(file_error(ErrorCode::io, "seal", kName, errno));
    }
    if (size_ == 0) return {};
    void* const mapped = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, fd_.get(), 0);
    if (mapped == MAP_FAILED) return fail(file_error(ErrorCode::io, "map", kName, errno));
    mapped_.reset(static_cast<const std::byte*>(mapped), [mapped, size = size_](auto*) { munmap(mapped, size); });
    return {};
}

}  // namespace azlock::ops
