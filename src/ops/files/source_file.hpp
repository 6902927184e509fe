// A local file as the source of an upload: it is read by position and checked for changes.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/file.hpp"
#include "http/message.hpp"
#include "ops/files/walked_path.hpp"

namespace azlock::ops {

// Thread-safe. Shared, because request bodies may outlive the caller.
class SourceFile : public std::enable_shared_from_this<SourceFile> {
  public:
    // Errors: input_missing (it cannot be read), usage (not a regular file), data (it changed meanwhile, or it is not
    // the file that the walk saw).
    [[nodiscard]] static Result<std::shared_ptr<const SourceFile>> open(const std::string& path,
                                                                        const std::optional<WalkedFile>& walked = {});

    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] std::uint64_t size() const { return identity_.size; }
    // Fills `out`. Error (data): the file ends early ("changed while it was read").
    [[nodiscard]] Status read(std::uint64_t offset, std::span<std::byte> out) const;
    // Error (data): size, time stamps or identity have changed since open(). A change of the file's name, mode, owner
    // or number of links alone, which changes its status time, does not count.
    [[nodiscard]] Status check_unchanged() const;
    // Valid as long as this object lives.
    [[nodiscard]] int descriptor() const { return fd_.get(); }
    // A part of the file as a request body.
    [[nodiscard]] std::shared_ptr<const http::Body> region(std::uint64_t offset, std::uint64_t length) const;

  private:
    // What can change together with the file's status time, while no byte changes.
    struct Labels {
        unsigned mode = 0;
        unsigned owner = 0;
        unsigned group = 0;
        std::uint64_t links = 0;
        bool at_path = false;  // path_ leads to this file
        friend bool operator==(const Labels&, const Labels&) = default;
    };
    [[nodiscard]] static Labels labels(int fd, const std::string& path);
    SourceFile(std::string path, Fd fd, FileIdentity identity)
        : path_(std::move(path)), fd_(std::move(fd)), identity_(identity), labels_(labels(fd_.get(), path_)) {}
    [[nodiscard]] Error changed() const;

    std::string path_;
    Fd fd_;
    FileIdentity identity_;
    Labels labels_;
};

}  // namespace azlock::ops
