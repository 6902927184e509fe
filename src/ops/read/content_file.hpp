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
    [[nodiscard]] static Result<std::shared_ptr<ContentFile>> create_in_memory();

    [[nodiscard]] int descriptor() const { return fd_.get(); }
    // A read-only descriptor with a position of its own, at the beginning. Error: io.
    [[nodiscard]] Result<Fd> reader() const;
    [[nodiscard]] Result<std::uint64_t> size() const;
    // Its current content as a request body.
    [[nodiscard]] Result<std::shared_ptr<const http::Body>> body() const;
    // Adds to what was appended before. Error: io.
    [[nodiscard]] Status append(ByteView data);
    // Appends what the stream `fd` holds up to its end. `name` is for errors (io).
    [[nodiscard]] Status fill_from(int fd, const std::string& name);
    // Drops everything. False if that is impossible.
    [[nodiscard]] bool clear();
    [[nodiscard]] std::uint64_t appended() const { return appended_; }  // bytes
    // Only in memory: from now on nobody can change the content. Maps it: null if it is empty. Error: io.
    [[nodiscard]] Result<std::shared_ptr<const std::byte>> seal() const;

    // The error of a system call on it, whose name the error lacks; of one that has just set errno.
    [[nodiscard]] Error failed(Error error) const;
    [[nodiscard]] Error failed(std::string_view action) const;

  private:
    ContentFile(Fd fd, std::string place) : fd_(std::move(fd)), place_(std::move(place)) {}
    Fd fd_;
    std::string place_;  // for errors
    std::uint64_t appended_ = 0;
};

// Writes the body of an answer 200 to the file.
class ContentSink final : public http::BodySink {
  public:
    explicit ContentSink(ContentFile& file) : file_(file) {}
    [[nodiscard]] bool begin(const http::Response& head) override { return head.status == 200 && file_.clear(); }
    [[nodiscard]] Status write(ByteView data) override { return file_.append(data); }
    [[nodiscard]] std::uint64_t size() const { return file_.appended(); }

  private:
    ContentFile& file_;
};

}  // namespace azlock::ops
