// A local file as the source of an upload: read by position, and watched for changes while it is read.
#pragma once

#include <memory>
#include <string>

#include "base/file.hpp"
#include "http/message.hpp"

namespace azlock::ops {

// Thread-safe. Shared, since request bodies may outlive the caller's frame.
class SourceFile : public std::enable_shared_from_this<SourceFile> {
  public:
    // input_missing where it cannot be read; usage where it is no regular file.
    [[nodiscard]] static Result<std::shared_ptr<const SourceFile>> open(const std::string& path);

    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] std::uint64_t size() const { return identity_.size; }
    // Fills `out`; a file that ends early is ErrorCode::data ("changed while it was read").
    [[nodiscard]] Status read(std::uint64_t offset, std::span<std::byte> out) const;
    // ErrorCode::data where size, time stamps or identity are not those at open().
    [[nodiscard]] Status check_unchanged() const;
    // For as long as this lives.
    [[nodiscard]] int descriptor() const { return fd_.get(); }
    // A part of the file as a request body.
    [[nodiscard]] std::shared_ptr<const http::Body> region(std::uint64_t offset, std::uint64_t length) const;

  private:
    SourceFile(std::string path, Fd fd, FileIdentity identity)
        : path_(std::move(path)), fd_(std::move(fd)), identity_(identity) {}
    [[nodiscard]] Error changed() const;

    std::string path_;
    Fd fd_;
    FileIdentity identity_;
};

}  // namespace azlock::ops
