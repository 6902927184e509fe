// What azlock has in memory reaches no core file.
#include <sys/resource.h>
#include <unistd.h>

#include "os/child.hpp"
#include "os/core_limit.hpp"
#include "os/guard.hpp"
#include "support/catch.hpp"
#include "support/temp_dir.hpp"
#include "unit/eventually.hpp"

namespace azlock::os {
namespace {

constexpr rlim_t kSomeLimit = 4'096'000;
constexpr const char* kNote = "ulimit -S -c > \"$0\"";

std::string spawned_limit(const test::TempDir& dir) {
    const std::string file = dir.file("spawned");
    auto child = Child::start({{"sh", "-c", kNote, file}});
    test::must(child.has_value() && child->wait({})->code == 0);
    return test::read_text_file(file);
}

std::string guarded_limit(const test::TempDir& dir) {
    const std::string file = dir.file("guarded");
    Guard guard = std::move(Guard::fork_many({"/bin/sh", "-c", kNote, file}, 1).value().front());
    test::must(guard.start({}, 0, false, {}).has_value());
    const auto noted = [&] { return access(file.c_str(), R_OK) == 0 ? test::read_text_file(file) : std::string(); };
    test::must(test::eventually([&] { return noted().ends_with('\n'); }));
    return noted();
}

}  // namespace

TEST_CASE("azlock writes no core file, and its commands have the limit that it was started with") {
    rlimit before{};
    REQUIRE(getrlimit(RLIMIT_CORE, &before) == 0);
    if (before.rlim_max < kSomeLimit) return;  // no core file is allowed here
    const rlimit given{kSomeLimit, before.rlim_max};
    REQUIRE(setrlimit(RLIMIT_CORE, &given) == 0);
    const test::TempDir dir;
    const std::string limit = spawned_limit(dir);
    CHECK(limit != "0\n");
    write_no_core_files();
    const auto own_limit = [] {
        rlimit now{};
        (void)getrlimit(RLIMIT_CORE, &now);
        return now.rlim_cur;
    };
    CHECK(own_limit() == 0);
    CHECK(spawned_limit(dir) == limit);
    CHECK(own_limit() == 0);
    CHECK(guarded_limit(dir) == limit);
    CHECK(run_shell("[ \"$(ulimit -S -c)\" = " + limit.substr(0, limit.size() - 1) + " ]", {}) == 0);
    (void)setrlimit(RLIMIT_CORE, &before);
}

}  // namespace azlock::os
