// A file without a name that holds content for a while: in memory if it is small, else in the temporary folder.
#pragma once

#include <cstdint>
#include <memory>

#include "base/file.hpp"
#include "http/message.hpp"

namespace azlock::ops {

class ContentFile : public std::enable_shared_from_this<ContentFile> {
  public:
    // `expected`: bytes. Up to 4 MiB the file is in memory, else in $TMPDIR or /tmp. Error: io.
    [[nodiscard]] static Result<std::shared_ptr<ContentFile>> create(std::uint64_t expected);

    [[nodiscard]] int descriptor() const { return fd_.get(); }
    // A read-only descriptor with a position of its own, at the beginning. Error: io.
    [[nodiscard]] Result<Fd> reader() const;
    [[nodiscard]] Result<std::uint64_t> size() const;
    // Its current content as a request body.
    [[nodiscard]] Result<std::shared_ptr<const http::Body>> body() const;
    // Reads the stream `fd` to its end into the file. `name` is for errors (io).
    [[nodiscard]] Status fill_from(int fd, const std::string& name);

  private:
    explicit ContentFile(Fd fd) : fd_(std::move(fd)) {}
    Fd fd_;
};

// Writes the body of an answer 200 to the file.
class ContentSink final : public http::BodySink {
  public:
    explicit ContentSink(const ContentFile& file) : file_(file) {}
    [[nodiscard]] bool begin(const http::Response& head) override;
    [[nodiscard]] Status write(ByteView data) override;
    [[nodiscard]] std::uint64_t size() const { return size_; }

  private:
    const ContentFile& file_;
    std::uint64_t size_ = 0;
};

}  // namespace azlock::ops
