#include "ops/files/file_list.hpp"

#include <stdexcept>

namespace azlock::ops {

FileList::Directory FileList::add(const Node& node) {
    if (directories_.size() >= kNone) throw std::length_error("too many directories");
    directories_.push_back(node);
    return static_cast<Directory>(directories_.size() - 1);
}

FileList::Directory FileList::add_root(std::string_view path_prefix, std::string_view blob_prefix, bool walked) {
    return add({kNone, texts_.keep(path_prefix), texts_.keep(blob_prefix), walked});
}

FileList::Directory FileList::add_directory(Directory parent, std::string_view name) {
    const std::string_view kept = texts_.keep(name);
    return add({parent, kept, kept});
}

void FileList::add_file(Directory directory, std::string_view name, const Found& found) {
    const std::string_view kept = texts_.keep(name);
    files_.push_back({kept.data(), static_cast<std::uint32_t>(kept.size()), directory, found});
    total_bytes_ += found.size;
}

void FileList::remove(const std::vector<std::size_t>& indices) {
    auto unwanted = indices.begin();
    std::size_t kept = 0;
    for (std::size_t i = 0; i < files_.size(); ++i) {
        if (unwanted != indices.end() && *unwanted == i) {
            total_bytes_ -= files_[i].found.size;
            ++unwanted;
        } else {
            files_[kept++] = files_[i];
        }
    }
    files_.resize(kept);
}

std::string FileList::text_of(const File& file, std::string_view Node::*which) const {
    std::vector<const Node*> way;
    for (Directory at = file.directory; at != kNone; at = directories_[at].parent) way.push_back(&directories_[at]);
    std::string text;
    for (auto node = way.rbegin(); node != way.rend(); ++node) {
        text += (*node)->*which;
        if ((*node)->parent != kNone) text += '/';
    }
    return text.append(file.name_length == 0 ? "" : file.name, file.name_length);
}

std::optional<WalkedFile> FileList::walked_of(const File& file) const {
    Directory root = file.directory;
    while (directories_[root].parent != kNone) root = directories_[root].parent;
    if (!directories_[root].walked) return std::nullopt;
    const std::string_view prefix = directories_[root].path;
    return WalkedFile{prefix.rfind('/') + 1, file.found.device, file.found.inode};
}

}  // namespace azlock::ops
