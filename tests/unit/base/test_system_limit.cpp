#include <cerrno>
#include <new>
#include <stdexcept>
#include <system_error>

#include <fcntl.h>
#include <sys/resource.h>

#include "base/file.hpp"
#include "base/system_limit.hpp"
#include "support/catch.hpp"

namespace azlock::test {
namespace {

// Sets a limit of this process, until it is destroyed.
class LowLimit {
  public:
    LowLimit(__rlimit_resource resource, rlim_t value) : resource_(resource) {
        REQUIRE(::getrlimit(resource_, &before_) == 0);
        const rlimit low{value, before_.rlim_max};
        REQUIRE(::setrlimit(resource_, &low) == 0);
    }
    ~LowLimit() { ::setrlimit(resource_, &before_); }
    LowLimit(const LowLimit&) = delete;
    LowLimit& operator=(const LowLimit&) = delete;

  private:
    __rlimit_resource resource_;
    rlimit before_{};
};

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
    const LowLimit low(RLIMIT_FSIZE, 4096);
    const Error error = limit_error(SystemLimit::file_size);
    CHECK(error.message == "the system gives azlock no more space in one file (ulimit -f is 4 KiB)");
    CHECK(error.hint == "raise the limit");
}

TEST_CASE("a file that cannot be opened for want of descriptors is no missing file") {
    const LowLimit none(RLIMIT_NOFILE, 0);
    const auto opened = open_input("/dev/null");
    REQUIRE(!opened);
    CHECK(opened.error().code == ErrorCode::io);
    CHECK(opened.error().hint.find("ulimit -n is 0") != std::string::npos);
}

TEST_CASE("fewer transfers are affordable with fewer open files, and at least one") {
    CHECK(affordable(4) == 4);
    {
        const LowLimit few(RLIMIT_NOFILE, 64);
        CHECK(affordable(100) > 1);
        CHECK(affordable(100) < 20);
    }
    const LowLimit none(RLIMIT_NOFILE, 3);
    CHECK(affordable(100) == 1);
}

}  // namespace azlock::test
