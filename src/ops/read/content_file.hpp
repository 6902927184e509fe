// A file without a name that holds a content for a while: in memory where it is small, else in the temporary folder.
#pragma once

#include <cstdint>
#include <memory>

#include "base/file.hpp"
#include "http/message.hpp"

namespace azlock::ops {

class ScratchFile : public std::enable_shared_from_this<ScratchFile> {
  public:
    // `expected` bytes decide where it lies ($TMPDIR, else /tmp). Error: io.
    [[nodiscard]] static Result<std::shared_ptr<ScratchFile>> create(std::uint64_t expected);

    [[nodiscard]] int descriptor() const { return fd_.get(); }
    // A descriptor that reads from the beginning, cannot write and has a position of its own. Error: io.
    [[nodiscard]] Result<Fd> reader() const;
    [[nodiscard]] Result<std::uint64_t> size() const;
    // What it holds now, as a request body.
    [[nodiscard]] Result<std::shared_ptr<const http::Body>> body() const;
    // All that comes from a stream until its end. `name` is for errors (io).
    [[nodiscard]] Status fill_from(int fd, const std::string& name);

  private:
    explicit ScratchFile(Fd fd) : fd_(std::move(fd)) {}
    Fd fd_;
};

// Takes the content of a 200 into the file.
class ScratchSink final : public http::BodySink {
  public:
    explicit ScratchSink(const ScratchFile& file) : file_(file) {}
    [[nodiscard]] bool begin(const http::Response& head) override;
    [[nodiscard]] Status write(ByteView data) override;
    [[nodiscard]] std::uint64_t size() const { return size_; }

  private:
    const ScratchFile& file_;
    std::uint64_t size_ = 0;
};

}  // namespace azlock::ops
