#include <cerrno>
#include <memory>
#include <new>
#include <stdexcept>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>

#include "base/file.hpp"
#include "base/system_limit.hpp"
#include "base/wait.hpp"
#include "support/catch.hpp"

namespace azlock::test {
namespace {

// What `work` returns if this process has the limit. No assertion runs under the limit: some sanitizers need
// descriptors for one.
template <typename Work>
auto under(__rlimit_resource resource, rlim_t value, Work work) {
    rlimit before{};
    if (::getrlimit(resource, &before) != 0) throw std::system_error(errno, std::generic_category());
    const rlimit low{value, before.rlim_max};
    if (::setrlimit(resource, &low) != 0) throw std::system_error(errno, std::generic_category());
    auto result = work();
    ::setrlimit(resource, &before);
    return result;
}

}  // namespace

TEST_CASE("an exception that means a limit of the system is an error of kind io, and no other exception is") {
    const auto memory = limit_error(std::bad_alloc());
    REQUIRE(memory);
    CHECK(memory->code == ErrorCode::io);
    CHECK(memory->message.find("ulimit -v") != std::string::npos);
    const auto threads = limit_error(std::system_error(EAGAIN, std::generic_category()));
    REQUIRE(threads);
    CHECK(threads->message.find("ulimit -u") != std::string::npos);
    const auto files = limit_error(std::system_error(EMFILE, std::system_category()));
    REQUIRE(files);
    CHECK(files->message.find("ulimit -n") != std::string::npos);
    CHECK(!limit_error(std::system_error(EINVAL, std::generic_category())));
    CHECK(!limit_error(std::runtime_error("Too many open files")));
}

TEST_CASE("the message says what the limit is") {
    const Error error = under(RLIMIT_FSIZE, 4096, [] { return limit_error(SystemLimit::file_size); });
    CHECK(error.message == "the system gives azlock no more space in one file (ulimit -f is 4 KiB)");
    CHECK(error.hint == "raise the limit");
}

TEST_CASE("a file that cannot be opened for want of descriptors is no missing file") {
    const auto opened = under(RLIMIT_NOFILE, 0, [] { return open_input("/dev/null"); });
    REQUIRE(!opened);
    CHECK(opened.error().code == ErrorCode::io);
    CHECK(opened.error().hint.find("ulimit -n is 0") != std::string::npos);
}

TEST_CASE("a wait ends with its stop, also if the system has no descriptor for it") {
    std::stop_source stop;
    const auto signal = under(RLIMIT_NOFILE, 0, [&] { return std::make_unique<StopSignal>(stop.get_token()); });
    CHECK(signal->fd() < 0);
    SystemClock clock;
    const Deadline soon = clock.after(std::chrono::milliseconds(1));
    CHECK(wait_ready(-1, POLLIN, soon, clock, *signal) == Wake::deadline);
    const std::jthread later([&] { stop.request_stop(); });
    CHECK(wait_ready(-1, POLLIN, clock.after(std::chrono::seconds(60)), clock, *signal) == Wake::stopped);
}

TEST_CASE("fewer transfers are affordable with fewer open files, and at least one") {
    CHECK(affordable(4) == 4);
    const auto few = under(RLIMIT_NOFILE, 64, [] { return affordable(100); });
    CHECK(few > 1);
    CHECK(few < 20);
    CHECK(under(RLIMIT_NOFILE, 3, [] { return affordable(100); }) == 1);
}

}  // namespace azlock::test
