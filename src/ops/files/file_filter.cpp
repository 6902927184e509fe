#include "ops/files/file_filter.hpp"

#include <algorithm>

namespace azlock::ops {
namespace {

Result<std::vector<Glob>> parse_all(const std::vector<std::string>& patterns) {
    std::vector<Glob> globs;
    for (const std::string& pattern : patterns) {
        auto glob = Glob::parse(pattern);
        if (!glob) return fail(glob.error());
        globs.push_back(std::move(*glob));
    }
    return globs;
}

bool any_matches(const std::vector<Glob>& globs, std::string_view path, bool is_directory) {
    return std::any_of(globs.begin(), globs.end(), [&](const Glob& glob) { return glob.matches(path, is_directory); });
}

}  // namespace

Result<FileFilter> FileFilter::make(const std::vector<std::string>& include, const std::vector<std::string>& exclude) {
    auto wanted = parse_all(include);
    if (!wanted) return fail(wanted.error());
    auto unwanted = parse_all(exclude);
    if (!unwanted) return fail(unwanted.error());
    FileFilter filter;
    filter.include_ = std::move(*wanted);
    filter.exclude_ = std::move(*unwanted);
    return filter;
}

bool FileFilter::includes(std::string_view path, bool is_directory) const {
    return include_.empty() || any_matches(include_, path, is_directory);
}

bool FileFilter::excludes(std::string_view path, bool is_directory) const {
    return any_matches(exclude_, path, is_directory);
}

}  // namespace azlock::ops
