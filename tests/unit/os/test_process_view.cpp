// Whether /proc is ours.

#include "os/process_view.hpp"
#include "support/catch.hpp"

namespace azlock::os {
namespace {

std::string message(std::string_view status) {
    const auto checked = check_proc(status, 7);
    return checked ? "ok" : checked.error().message + "; " + checked.error().hint;
}

}  // namespace

TEST_CASE("a /proc of our own PID namespace is good, with or without namespaces in the kernel") {
    CHECK(message("Name:\tazlock\nPid:\t7\nPPid:\t1\nNSpid:\t7\nThreads:\t1\n") == "ok");
    CHECK(message("Name:\tazlock\nPid:\t7\nPPid:\t1\nThreads:\t1\n") == "ok");
    CHECK(check_process_view());
}

TEST_CASE("a /proc of an outer PID namespace is refused, also if our number is the same there") {
    CHECK(message("Name:\tazlock\nPid:\t4711\nNSpid:\t4711\t7\n").find("--mount-proc") != std::string::npos);
    CHECK(message("Name:\tazlock\nPid:\t7\nNSpid:\t7\t7\n").find("--mount-proc") != std::string::npos);
    CHECK(message("Name:\tazlock\nPid:\t4711\n").find("another PID namespace") != std::string::npos);
}

TEST_CASE("without /proc the message says how to mount it") {
    CHECK(message("").find("mount -t proc proc /proc") != std::string::npos);
}

}  // namespace azlock::os
