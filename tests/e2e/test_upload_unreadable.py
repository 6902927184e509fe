"""A source that cannot be read to its end: a clear error, nothing committed, and the staged blocks are used again."""

import os
import subprocess
import unittest

from support.case import MIB, Case

# Reads of the file named by BROKEN_FILE fail from BROKEN_FROM on, as on a disk with bad sectors.
SHIM = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static int broken(int fd, off_t at, off_t end) {
    const char* path = getenv("BROKEN_FILE");
    const char* from = getenv("BROKEN_FROM");
    struct stat bad, here;
    if (!path || !from || end <= atoll(from) || stat(path, &bad) || fstat(fd, &here)) return 0;
    return at < here.st_size && bad.st_ino == here.st_ino && bad.st_dev == here.st_dev;
}

#define READER(name)                                                                 \
    ssize_t name(int fd, void* out, size_t n, off_t at) {                            \
        static ssize_t (*real)(int, void*, size_t, off_t);                           \
        if (!real) real = (ssize_t(*)(int, void*, size_t, off_t))dlsym(RTLD_NEXT, #name); \
        if (broken(fd, at, at + (off_t)n)) { errno = EIO; return -1; }                   \
        return real(fd, out, n, at);                                                 \
    }
READER(pread)
READER(pread64)
"""


class Unreadable(Case):
    def setUp(self):
        super().setUp()
        source = self.folder / "shim.c"
        source.write_text(SHIM)
        self.shim = self.folder / "shim.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-o", self.shim, source, "-ldl"], check=True)
        self.source = self.file("source", 8 * MIB)
        self.rest.put(self.container, "b", b"seventeen bytes!!")

    def upload(self, *flags, **changes):
        return self.azlock("upload", self.source, self.blob("b"), "--block-size", "1MiB", "--concurrency", "2", *flags,
                           **changes)

    def test_a_file_that_is_unreadable_half_way_is_an_error_of_the_disk_and_commits_nothing(self):
        environment = {"LD_PRELOAD": str(self.shim), "BROKEN_FILE": os.path.abspath(self.source),
                       "BROKEN_FROM": str(4 * MIB + 7)}
        run = self.upload(env=environment, code=74)
        self.assertIn("nput/output error", run.messages)
        self.assertIn(str(self.source), run.messages)
        self.assert_blob("b", b"seventeen bytes!!")
        via = self.proxy()
        self.upload(via=via)
        self.assertLessEqual(via.count("Put Block"), 5)
        self.assert_blob("b", self.source.read_bytes())

    def test_the_checksum_of_the_whole_hears_of_it_too(self):
        environment = {"LD_PRELOAD": str(self.shim), "BROKEN_FILE": os.path.abspath(self.source),
                       "BROKEN_FROM": str(8 * MIB - 1)}
        self.upload("--put-md5", env=environment, code=74)
        self.assert_blob("b", b"seventeen bytes!!")


if __name__ == "__main__":
    unittest.main()
