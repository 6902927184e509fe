// Where a cgroup of our own is made.
#include <string>

#include <sys/wait.h>
#include <unistd.h>

#include "os/command_cgroup.hpp"
#include "os/process_tree.hpp"
#include "support/catch.hpp"

namespace azlock::os {

TEST_CASE("our cgroup is below the mount of its hierarchy") {
    const std::string v1 = "36 25 0:30 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n";
    const std::string v2 = "41 25 0:35 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw\n";
    CHECK(own_cgroup("4:memory:/x\n0::/user.slice/a\n", v1 + v2) == "/sys/fs/cgroup/user.slice/a");
    CHECK(own_cgroup("0::/\n", v2) == "/sys/fs/cgroup");
    CHECK(own_cgroup("4:memory:/x\n", v1).empty());
    CHECK(own_cgroup("0::/a\n", v1).empty());
    CHECK(own_cgroup("", "").empty());
}

TEST_CASE("in a container the mount shows only a part of the hierarchy of cgroups") {
    const std::string part = "41 25 0:35 /docker/abc /sys/fs/cgroup ro - cgroup2 cgroup2 rw\n";
    CHECK(own_cgroup("0::/docker/abc\n", part) == "/sys/fs/cgroup");
    CHECK(own_cgroup("0::/docker/abc/d\n", part) == "/sys/fs/cgroup/d");
    CHECK(own_cgroup("0::/docker/abcd\n", part).empty());
    CHECK(own_cgroup("0::/other\n", part).empty());
}

TEST_CASE("no two cgroups have the same name, and it tells whose it is") {
    const std::string name = new_own_name();
    CHECK(name != new_own_name());
    CHECK(name.starts_with("azlock-" + std::to_string(getpid()) + "-"));
    CHECK_FALSE(CommandCgroup::find(name));
}

TEST_CASE("a process that has entered a cgroup is killed with it, and the cgroup is removed") {
    const std::string name = new_own_name();
    CommandCgroup group = CommandCgroup::make(name);
    if (!group) return;  // not permitted here
    CHECK(CommandCgroup::find(name));
    const Pipe pipe = make_pipe();
    const pid_t child = fork();
    if (child == 0) {
        (void)!write(group.entrance(), "0", 1);
        (void)!write(pipe.write_end.get(), "x", 1);
        pause();
        _exit(0);
    }
    char entered = 0;
    REQUIRE(read(pipe.read_end.get(), &entered, 1) == 1);
    CommandCgroup::find(name).kill();
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(WIFSIGNALED(status));
    group.remove();
    CHECK_FALSE(CommandCgroup::find(name));
}

}  // namespace azlock::os
