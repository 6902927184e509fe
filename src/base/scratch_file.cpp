#include "base/scratch_file.hpp"

#include <cerrno>
#include <cstdlib>

#include <fcntl.h>
#include <unistd.h>

namespace azlock {

Result<Fd> make_scratch_file(const std::string& folder) {
    Fd fd(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
    if (fd) return fd;
    // File systems and kernels that do not know O_TMPFILE return one of these.
    if (errno == EOPNOTSUPP || errno == EISDIR || errno == ENOENT || errno == EINVAL) {
        std::string name = folder + "/.azlock-XXXXXX";
        fd.reset(::mkostemp(name.data(), O_CLOEXEC));
        if (fd && ::unlink(name.c_str()) == 0) return fd;
    }
    return fail(file_error(ErrorCode::io, "make a temporary file in", folder, errno));
}

std::string scratch_folder() {
    const char* set = std::getenv("TMPDIR");
    return set != nullptr && *set != '\0' ? set : "/tmp";
}

}  // namespace azlock
