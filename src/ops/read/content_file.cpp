#include "ops/read/content_file.hpp"

#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/scratch_file.hpp"
#include "base/text.hpp"

namespace azlock::ops {
namespace {

constexpr std::uint64_t kInMemory = 4ULL * 1024 * 1024;
constexpr std::size_t kPiece = 256 * 1024;
constexpr const char* kNoName = "";

class ContentBody final : public http::Body {
  public:
    ContentBody(std::shared_ptr<const ContentFile> file, std::uint64_t size) : file_(std::move(file)), size_(size) {}
    [[nodiscard]] std::uint64_t size() const override { return size_; }
    [[nodiscard]] Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> out) const override {
        const std::uint64_t left = size_ - std::min(size_, offset);
        auto got =
            read_full_at(file_->descriptor(), offset, out.first(std::min<std::uint64_t>(out.size(), left)), kNoName);
        return got ? got : fail(file_->failed(got.error()));
    }

  private:
    std::shared_ptr<const ContentFile> file_;
    std::uint64_t size_;
};

}  // namespace

Error ContentFile::failed(std::string_view action) const {
    return failed(file_error(ErrorCode::io, action, kNoName, errno));
}

Error ContentFile::failed(Error error) const {
    error.message = "a temporary file in " + place_ + ": " + error.message;
    return error;
}

Result<std::shared_ptr<ContentFile>> ContentFile::create(std::uint64_t expected) {
    if (expected <= kInMemory) return create_in_memory();
    const std::string folder = scratch_folder();
    auto fd = make_scratch_file(folder);
    if (!fd) return fail(fd.error());
    return std::shared_ptr<ContentFile>(new ContentFile(std::move(*fd), in_quotes(folder)));
}

Result<std::shared_ptr<ContentFile>> ContentFile::create_in_memory() {
    Fd fd(memfd_create("azlock", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    std::shared_ptr<ContentFile> out(new ContentFile(std::move(fd), "memory"));
    if (out->descriptor() < 0) return fail(out->failed("create"));
    return out;
}

Result<Fd> ContentFile::reader() const {
    const std::string path = "/proc/self/fd/" + std::to_string(fd_.get());
    Fd out(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!out) return fail(failed("open"));
    return out;
}

Result<std::uint64_t> ContentFile::size() const {
    const auto identity = identify(fd_.get(), kNoName);
    if (!identity) return fail(failed(identity.error()));
    return identity->size;
}

Result<std::shared_ptr<const http::Body>> ContentFile::body() const {
    const auto bytes = size();
    if (!bytes) return fail(bytes.error());
    return std::make_shared<const ContentBody>(shared_from_this(), *bytes);
}

Status ContentFile::append(ByteView data) {
    if (auto ok = write_full_at(fd_.get(), appended_, data, kNoName); !ok) return fail(failed(ok.error()));
    appended_ += data.size();
    return {};
}

Status ContentFile::fill_from(int fd, const std::string& name) {
    Bytes piece(kPiece);
    for (;;) {
        const auto got = read_full(fd, piece, name);
        if (!got) return fail(got.error());
        if (auto ok = append(std::span(piece).first(*got)); !ok) return ok;
        if (*got < piece.size()) return {};
    }
}

bool ContentFile::clear() {
    appended_ = 0;
    return ftruncate(fd_.get(), 0) == 0;
}

Result<std::shared_ptr<const std::byte>> ContentFile::seal() const {
    if (fcntl(fd_.get(), F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) != 0) {
        return fail(failed("seal"));
    }
    if (appended_ == 0) return nullptr;
    void* const mapped = mmap(nullptr, appended_, PROT_READ, MAP_PRIVATE, fd_.get(), 0);
    if (mapped == MAP_FAILED) return fail(failed("map"));
    return std::shared_ptr<const std::byte>(static_cast<const std::byte*>(mapped),
                                            [mapped, size = appended_](auto*) { munmap(mapped, size); });
}

}  // namespace azlock::ops
