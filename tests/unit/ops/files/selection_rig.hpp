// A tree of files to select from, and what was selected, skipped or refused.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <sys/resource.h>

#include "ops/files/file_selection.hpp"
#include "support/catch.hpp"
#include "support/temp_dir.hpp"

namespace azlock::test {

using ops::select_files;
using ops::Selection;
using ops::SelectionRequest;
using ops::SkippedFile;
using Names = std::vector<std::string>;
namespace fs = std::filesystem;

// A directory with files in it, each holding its own name.
class Tree {
  public:
    explicit Tree(const Names& files) {
        for (const std::string& name : files) {
            fs::create_directories(fs::path(dir_.file(name)).parent_path());
            dir_.write(name, name);
        }
    }
    [[nodiscard]] std::string at(std::string_view name) const { return dir_.file(name); }
    [[nodiscard]] const std::string& root() const { return dir_.path(); }
    void link(const std::string& to, std::string_view name) const { fs::create_symlink(to, at(name)); }
    [[nodiscard]] std::string list(const std::string& text) const { return dir_.write("the list", text); }

  private:
    TempDir dir_;
};

inline SelectionRequest request(Names sources, std::string destination, bool recursive = true) {
    SelectionRequest result;
    result.sources = std::move(sources);
    result.destination = std::move(destination);
    result.recursive = recursive;
    return result;
}

inline Names blobs(const Selection& selection) {
    Names names;
    for (std::size_t i = 0; i < selection.files.size(); ++i) names.push_back(selection.files[i].blob);
    return names;
}

inline Names blobs(const SelectionRequest& request) {
    const auto selection = select_files(request);
    REQUIRE(selection);
    CHECK(selection->failures.empty());
    return blobs(*selection);
}

inline Error refused(const SelectionRequest& request) {
    const auto selection = select_files(request);
    REQUIRE(!selection);
    CHECK(selection.error().code == ErrorCode::usage);
    return selection.error();
}

// The skipped paths, relative to the tree's root.
inline Names skipped(const Selection& selection, const Tree& tree) {
    Names names;
    for (const SkippedFile& file : selection.skipped) names.push_back(file.path.substr(tree.root().size() + 1));
    return names;
}

inline Names failed(const Selection& selection, const Tree& tree) {
    Names names;
    for (const Error& error : selection.failures) names.push_back(error.target.substr(tree.root().size() + 1));
    return names;
}

// Changes the current directory for as long as it lives.
class InDirectory {
  public:
    explicit InDirectory(const std::string& path) : before_(fs::current_path()) { fs::current_path(path); }
    InDirectory(const InDirectory&) = delete;
    InDirectory& operator=(const InDirectory&) = delete;
    ~InDirectory() { fs::current_path(before_); }

  private:
    fs::path before_;
};

// No file can be opened for as long as it lives.
class NoMoreFiles {
  public:
    NoMoreFiles() {
        REQUIRE(::getrlimit(RLIMIT_NOFILE, &before_) == 0);
        const rlimit none{0, before_.rlim_max};
        REQUIRE(::setrlimit(RLIMIT_NOFILE, &none) == 0);
    }
    NoMoreFiles(const NoMoreFiles&) = delete;
    NoMoreFiles& operator=(const NoMoreFiles&) = delete;
    ~NoMoreFiles() { ::setrlimit(RLIMIT_NOFILE, &before_); }

  private:
    rlimit before_{};
};

inline bool mentions(const Error& error, std::string_view text) {
    return error.message.find(text) != std::string::npos;
}

}  // namespace azlock::test
