#include "ops/files/file_selection.hpp"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <functional>
#include <map>
#include <utility>

#include <sys/stat.h>

#include "azure/names.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "ops/files/file_walk.hpp"
#include "ops/files/path_list.hpp"

namespace azlock::ops {
namespace {

bool takes_several(const std::string& destination) {
    return destination.empty() || destination.ends_with('/');
}

// The last part of a source's path; empty if the path means the contents of a directory.
std::string_view own_name(std::string_view path) {
    const std::string_view name = path.substr(path.rfind('/') + 1);
    return name == "." || name == ".." ? std::string_view() : name;
}

std::string with_slash(std::string_view path) {
    return std::string(path) + (path.ends_with('/') ? "" : "/");
}

// The listed path without leading "/", "." parts and double slashes; nullopt if it has a ".." part.
std::optional<std::string> below_here(std::string_view path) {
    std::string below;
    for (const std::string_view part : split(path, '/')) {
        if (part.empty() || part == ".") continue;
        if (part == "..") return std::nullopt;
        if (!below.empty()) below += '/';
        below += part;
    }
    return below;
}

bool same_file(const std::string& a, const std::string& b) {
    std::error_code ignored;
    return a == b || std::filesystem::equivalent(a, b, ignored);
}

class Selector {
  public:
    Selector(const SelectionRequest& request, const FileFilter& filter, const std::stop_token& stop)
        : request_(request), filter_(filter), stop_(stop) {}

    Status take_source(const std::string& path) {
        struct stat found {};
        if (!look_at(path, found)) return {};
        const std::string name(own_name(path));
        const std::string& destination = request_.destination;
        if (S_ISDIR(found.st_mode)) {
            if (!request_.recursive) {
                return fail(ErrorCode::usage, in_quotes(path) + " is a directory", "use -r to upload what is in it");
            }
            if (!takes_several(destination)) {
                return fail(ErrorCode::usage, "a directory cannot become the one blob " + in_quotes(destination),
                            "name a container, or end the destination in '/'");
            }
            return walk({with_slash(path), "", destination + (name.empty() ? "" : name + "/")});
        }
        if (filter_.excludes(name, false) || !filter_.includes(name, false)) {
            ++out_.excluded;
            return {};
        }
        const std::string blob = takes_several(destination) ? destination + name : destination;
        take_file(path, blob, found);
        return {};
    }

    Status take_listed(std::string_view listed) {
        const std::string path(listed);
        const auto relative = below_here(path);
        if (!relative) {
            const std::string why =
                "the listed path " + in_quotes(path) + " has a part '..', which no blob's name can have";
            failed(make_error(ErrorCode::usage, why, "list paths below the current directory"), path);
            return {};
        }
        bool excluded = false;
        bool included = false;
        for (std::size_t end = relative->find('/'); end != std::string::npos; end = relative->find('/', end + 1)) {
            const std::string above = relative->substr(0, end);
            excluded = excluded || filter_.excludes(above, true);
            included = included || filter_.includes(above, true);
        }
        struct stat found {};
        if (!excluded && !look_at(path, found)) return {};
        const bool is_directory = S_ISDIR(found.st_mode);
        included = included || filter_.includes(*relative, is_directory);
        if (excluded || filter_.excludes(*relative, is_directory) || (!included && !is_directory)) {
            ++out_.excluded;
        } else if (is_directory && !request_.recursive) {
            failed(make_error(ErrorCode::usage, in_quotes(path) + " is a directory", "use -r to upload what is in it"),
                   path);
        } else if (is_directory) {
            const std::string below = relative->empty() ? "" : *relative + "/";
            return walk({with_slash(path), below, request_.destination + below, included});
        } else {
            take_file(path, request_.destination + *relative, found);
        }
        return {};
    }

    // Names are compared by their hashes first: a million whole names would take too much memory.
    Status drop_duplicates() {
        const FileList& files = out_.files;
        std::vector<std::pair<std::size_t, std::size_t>> hashes;
        hashes.reserve(files.size());
        for (std::size_t i = 0; i < files.size(); ++i)
            hashes.emplace_back(std::hash<std::string>()(files.blob_of(i)), i);
        std::sort(hashes.begin(), hashes.end());

        std::vector<std::size_t> unwanted;
        std::map<std::string, std::size_t> known;  // names with the same hash
        for (std::size_t i = 0; i < hashes.size(); ++i) {
            const bool alone = (i == 0 || hashes[i - 1].first != hashes[i].first) &&
                               (i + 1 == hashes.size() || hashes[i + 1].first != hashes[i].first);
            if (alone) continue;
            if (i == 0 || hashes[i - 1].first != hashes[i].first) known.clear();
            const auto [first, is_new] = known.emplace(files.blob_of(hashes[i].second), hashes[i].second);
            if (is_new) continue;
            const std::string path = files.path_of(hashes[i].second);
            const std::string other = files.path_of(first->second);
            if (!same_file(path, other)) {
                return fail(ErrorCode::usage,
                            in_quotes(other) + " and " + in_quotes(path) + " would both become the blob " +
                                in_quotes(first->first),
                            "nothing was sent; upload them to different places");
            }
            unwanted.push_back(hashes[i].second);
        }
        std::sort(unwanted.begin(), unwanted.end());
        out_.files.remove(unwanted);
        return {};
    }

    Selection& result() { return out_; }

  private:
    Status walk(const WalkedDirectory& root) { return walk_directory(root, filter_, request_.symlinks, stop_, out_); }

    void failed(Error error, std::string_view path) {
        error.target = path;
        out_.failures.push_back(std::move(error));
    }

    // False: it failed, and the failure is recorded.
    bool look_at(const std::string& path, struct stat& found) {
        const bool refuse = request_.symlinks == SymlinkPolicy::refuse;
        if (refuse && ::lstat(path.c_str(), &found) == 0 && S_ISLNK(found.st_mode)) {
            failed(make_error(ErrorCode::usage, in_quotes(path) + " is a symbolic link"), path);
            return false;
        }
        if (::stat(path.c_str(), &found) == 0) return true;
        failed(file_error(ErrorCode::input_missing, "read", path, errno), path);
        return false;
    }

    void take_file(const std::string& path, const std::string& blob, const struct stat& found) {
        if (!S_ISREG(found.st_mode)) {
            return failed(make_error(ErrorCode::usage, in_quotes(path) + " is not a regular file",
                                     "pipe it in as the source '-'"),
                          path);
        }
        if (Status valid = azure::check_blob_name(blob); !valid) return failed(valid.error(), path);
        std::string_view name = own_name(path);
        if (!blob.ends_with("/" + std::string(name)) && blob != name) name = {};  // the blob gets another name
        const std::string_view path_prefix = std::string_view(path).substr(0, path.size() - name.size());
        const std::string_view blob_prefix = std::string_view(blob).substr(0, blob.size() - name.size());
        if (!last_directory_ || path_prefix != last_path_prefix_ || blob_prefix != last_blob_prefix_) {
            last_directory_ = out_.files.add_root(path_prefix, blob_prefix, request_.symlinks == SymlinkPolicy::refuse);
            last_path_prefix_ = path_prefix;
            last_blob_prefix_ = blob_prefix;
        }
        out_.files.add_file(*last_directory_, name,
                            {static_cast<std::uint64_t>(found.st_size), found.st_dev, found.st_ino});
    }

    const SelectionRequest& request_;
    const FileFilter& filter_;
    const std::stop_token& stop_;
    Selection out_;
    // Of the file that was added last: the files of a sorted list are mostly in the same directory as the one before.
    std::string last_path_prefix_;
    std::string last_blob_prefix_;
    std::optional<FileList::Directory> last_directory_;
};

}  // namespace

Result<Selection> select_files(const SelectionRequest& request, std::stop_token stop) {
    if (request.sources.empty() && !request.files_from) return fail(ErrorCode::usage, "there is nothing to upload");
    if ((request.sources.size() > 1 || request.files_from) && !takes_several(request.destination)) {
        return fail(ErrorCode::usage, "several files cannot become the one blob " + in_quotes(request.destination),
                    "name a container, or end the destination in '/'");
    }
    const auto filter = FileFilter::make(request.include, request.exclude);
    if (!filter) return fail(filter.error());
    Selector selector(request, *filter, stop);
    for (const std::string& source : request.sources) {
        if (Status taken = selector.take_source(source); !taken) return fail(taken.error());
    }
    if (request.files_from) {
        const auto take = [&](std::string_view path) { return selector.take_listed(path); };
        const Status read = read_path_list(*request.files_from, request.null_separated, take, stop);
        if (!read) return fail(read.error());
    }
    if (request.sources.size() > 1 || request.files_from) {
        if (Status unique = selector.drop_duplicates(); !unique) return fail(unique.error());
    }
    return std::move(selector.result());
}

}  // namespace azlock::ops
