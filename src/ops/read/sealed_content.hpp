// Holds a blob's content once, for azlock itself and for a command that reads it.
#pragma once

#include <cstdint>
#include <memory>

#include "ops/read/content_file.hpp"
#include "ops/read/download.hpp"

namespace azlock::ops {

// A content file in memory. It is filled as a DownloadTarget, then sealed. Not thread-safe.
class SealedContent final : public DownloadTarget {
  public:
    // Takes at most `max_size` bytes. Error: io.
    [[nodiscard]] static Result<SealedContent> make(std::uint64_t max_size);

    // Error (data): the content is larger than `max_size`.
    [[nodiscard]] Status write(ByteView data) override;
    [[nodiscard]] bool restart() override { return file_->clear(); }

    // From now on nobody can change the content, not even with the descriptor.
    [[nodiscard]] Status seal();
    // The content, after seal(). Valid as long as this object lives.
    [[nodiscard]] ByteView view() const { return {mapped_.get(), file_->appended()}; }
    // Its position is at the beginning until somebody reads from it.
    [[nodiscard]] int fd() const { return file_->descriptor(); }

  private:
    SealedContent(std::shared_ptr<ContentFile> file, std::uint64_t max_size)
        : file_(std::move(file)), max_size_(max_size) {}

    std::shared_ptr<ContentFile> file_;
    std::uint64_t max_size_;
    std::shared_ptr<const std::byte> mapped_;
};

// The error for content above the limit. `what`: "the blob", "the command's output".
[[nodiscard]] Error too_large(const std::string& what, std::uint64_t max_size);

}  // namespace azlock::ops
