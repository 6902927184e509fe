// A blob's content, held once: to be looked at here, and to be read by a command.
#pragma once

#include <cstdint>

#include "base/file.hpp"
#include "ops/read/download.hpp"

namespace azlock::ops {

// In memory, in a file without a name. Filled as a DownloadTarget, then sealed. Not thread-safe.
class HeldContent final : public DownloadTarget {
  public:
    // Takes at most `max_size` bytes. Error: io.
    [[nodiscard]] static Result<HeldContent> make(std::uint64_t max_size);
    HeldContent(HeldContent&& other) noexcept;
    HeldContent& operator=(HeldContent&&) = delete;
    HeldContent(const HeldContent&) = delete;
    HeldContent& operator=(const HeldContent&) = delete;
    ~HeldContent() override;

    // Error (data): it is larger than it may be.
    [[nodiscard]] Status write(ByteView data) override;
    [[nodiscard]] bool restart() override;

    // From now on nothing changes it, whoever has the descriptor.
    [[nodiscard]] Status seal();
    // After seal(), as long as this lives.
    [[nodiscard]] ByteView view() const { return {static_cast<const std::byte*>(mapped_), size_}; }
    // Stands at the beginning; whoever reads from it moves that.
    [[nodiscard]] int fd() const { return fd_.get(); }

  private:
    HeldContent(Fd fd, std::uint64_t max_size) : fd_(std::move(fd)), max_size_(max_size) {}

    Fd fd_;
    std::uint64_t max_size_;
    std::size_t size_ = 0;
    void* mapped_ = nullptr;
};

// The refusal of content above the limit: `what` is "the blob", "the command's output".
[[nodiscard]] Error too_large(const std::string& what, std::uint64_t max_size);

}  // namespace azlock::ops
