// The files that an upload takes, stored so that a million files need tens of megabytes, and those that it leaves out.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "ops/files/walked_path.hpp"

namespace azlock::ops {

// Stores texts without gaps. A stored text never moves.
class TextStore {
  public:
    [[nodiscard]] std::string_view keep(std::string_view text) {
        if (room_ < text.size()) {
            room_ = std::max(kChunk, text.size());
            next_ = chunks_.emplace_back(std::make_unique<char[]>(room_)).get();
        }
        const std::string_view kept(next_, text.copy(next_, text.size()));
        next_ += kept.size();
        room_ -= kept.size();
        return kept;
    }

  private:
    static constexpr std::size_t kChunk = 64 * 1024;
    std::vector<std::unique_ptr<char[]>> chunks_;
    char* next_ = nullptr;  // where the next text goes
    std::size_t room_ = 0;  // bytes from there to the end of the chunk
};

struct SelectedFile {
    std::string path;  // local path
    std::string blob;  // the blob's name
    std::uint64_t size = 0;
    std::optional<WalkedFile> walked = {};  // if no other file may be opened in its place
};

// Directories form trees below roots. A file is stored as its own name and its directory. Movable only.
class FileList {
  public:
    using Directory = std::uint32_t;

    // A root: its local paths and blob names begin with these prefixes. A prefix is empty or ends in '/', unless its
    // files are added with an empty name. With `walked`, each of its files names what the walk saw, and no links are
    // allowed below the root's path.
    [[nodiscard]] Directory add_root(std::string_view path_prefix, std::string_view blob_prefix, bool walked = false);
    [[nodiscard]] Directory add_directory(Directory parent, std::string_view name);
    struct Found {
        std::uint64_t size = 0;
        std::uint64_t device = 0;  // both are needed only below a walked root
        std::uint64_t inode = 0;
    };
    void add_file(Directory directory, std::string_view name, const Found& found);
    // `indices`: ascending.
    void remove(const std::vector<std::size_t>& indices);

    [[nodiscard]] std::size_t size() const { return files_.size(); }
    [[nodiscard]] bool empty() const { return files_.empty(); }
    [[nodiscard]] std::uint64_t total_bytes() const { return total_bytes_; }
    // Built from its parts at each call.
    [[nodiscard]] SelectedFile operator[](std::size_t index) const {
        return {path_of(index), blob_of(index), files_[index].found.size, walked_of(files_[index])};
    }
    [[nodiscard]] std::string blob_of(std::size_t index) const { return text_of(files_[index], &Node::blob); }
    [[nodiscard]] std::string path_of(std::size_t index) const { return text_of(files_[index], &Node::path); }

  private:
    static constexpr Directory kNone = UINT32_MAX;
    struct Node {
        Directory parent = kNone;
        std::string_view path;  // of a root: the prefixes; else the name in both
        std::string_view blob;
        bool walked = false;  // of a root
    };
    struct File {
        const char* name = nullptr;
        std::uint32_t name_length = 0;
        Directory directory = kNone;
        Found found;
    };
    [[nodiscard]] Directory add(const Node& node);
    [[nodiscard]] std::string text_of(const File& file, std::string_view Node::*which) const;
    [[nodiscard]] std::optional<WalkedFile> walked_of(const File& file) const;

    TextStore texts_;
    std::deque<Node> directories_;
    std::deque<File> files_;  // not a vector: its growth would need three times the memory for a moment
    std::uint64_t total_bytes_ = 0;
};

// A link that is named as a source (or listed) is followed, except with `refuse`. For a link inside a directory:
enum class SymlinkPolicy {
    skip,    // it is left out, and azlock says so
    follow,  // it counts as its target; a link to a directory that contains it is left out
    refuse,  // it is a failure, and so is a link that is named
};

struct SkippedFile {
    std::string path;
    std::string reason;  // "a symbolic link"
};

struct Selection {
    FileList files;
    std::vector<SkippedFile> skipped;  // special files, and links that are not followed; each deserves a notice
    std::vector<Error> failures;       // files that could not be taken; `target` is the local path
    std::uint64_t excluded = 0;        // files and whole directories that the globs left out
};

}  // namespace azlock::ops
