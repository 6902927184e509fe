#include "ops/files/walked_path.hpp"

#include <cerrno>

#include <fcntl.h>

#include "base/text.hpp"

namespace azlock::ops {
namespace {

Fd open_at(int above, const std::string& path, int flags) {
    Fd fd;
    do {
        fd.reset(::openat(above, path.c_str(), flags | O_CLOEXEC));
    } while (!fd && errno == EINTR);
    return fd;
}

Error replaced(const std::string& path) {
    Error error = make_error(ErrorCode::data, in_quotes(path) + " was replaced after azlock had looked for the files",
                             "run the command again when nothing changes the directory");
    error.target = path;
    return error;
}

// The error of openat() on a part of the path.
Error not_opened(const std::string& path, int errno_value) {
    if (errno_value == ELOOP || errno_value == ENOTDIR) return replaced(path);
    return file_error(ErrorCode::input_missing, "open", path, errno_value);
}

}  // namespace

Fd open_directory(int above, const std::string& path, bool follow) {
    return open_at(above, path, O_RDONLY | O_DIRECTORY | (follow ? 0 : O_NOFOLLOW));
}

Result<Fd> open_walked(const std::string& path, const WalkedFile& walked) {
    const std::string root = path.substr(0, walked.root);
    Fd directory = open_at(AT_FDCWD, root.empty() ? "." : root, O_PATH | O_DIRECTORY);
    if (!directory) return fail(not_opened(path, errno));
    std::size_t from = walked.root;
    for (std::size_t end = path.find('/', from); end != std::string::npos; end = path.find('/', from)) {
        directory = open_at(directory.get(), path.substr(from, end - from), O_PATH | O_DIRECTORY | O_NOFOLLOW);
        if (!directory) return fail(not_opened(path, errno));
        from = end + 1;
    }
    Fd file = open_at(directory.get(), path.substr(from), O_RDONLY | O_NOCTTY | O_NOFOLLOW | O_NONBLOCK);
    if (!file) return fail(not_opened(path, errno));
    const auto identity = identify(file.get(), path);
    if (!identity) return fail(identity.error());
    if (!identity->regular || identity->device != walked.device || identity->inode != walked.inode) {
        return fail(replaced(path));
    }
    return file;
}

}  // namespace azlock::ops
