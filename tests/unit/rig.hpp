// Real clients over the fake service, with scripted faults in between and a fake clock.
#pragma once

#include <random>
#include <stdexcept>
#include <string>

#include <fcntl.h>
#include <sys/stat.h>

#include "azure/client.hpp"
#include "support/fake_clock.hpp"
#include "support/fake_service.hpp"
#include "support/faulty_transport.hpp"
#include "support/seeded_random.hpp"
#include "support/temp_dir.hpp"

namespace azlock::test {

// Not the emulator's account: azlock knows that one, and checks its blocks by MD5 from the start.
inline constexpr const char* kRigAccount = "rigaccount";

// One azlock on some machine.
class Actor {
  public:
    Actor(http::Transport& transport, Clock& clock, std::uint64_t seed, const std::string& account = kRigAccount,
          azure::PipelineOptions options = {})
        : random_(seed),
          pipeline_(transport, clock, random_, azure::Credential::shared_key(account, Secret(kFakeKey)).value(),
                    std::move(options)),
          client_(pipeline_, {{false, "127.0.0.1", 10000}, "/" + account, account}) {}
    Actor(const Actor&) = delete;
    Actor& operator=(const Actor&) = delete;

    [[nodiscard]] azure::BlobClient& client() { return client_; }

  private:
    SeededRandom random_;
    azure::Pipeline pipeline_;
    azure::BlobClient client_;
};

// "box/data" in an empty container. Our requests go through the scripted faults, those of the peer do not.
struct Rig {
    explicit Rig(FakeOptions options = {}, const std::string& account = kRigAccount)
        : service(clock, for_account(std::move(options), account)),
          us(faulty, clock, 1, account),
          peer(service, clock, 2, account) {
        service.make_container("box");
    }

    // An old file, so that any change of it changes its time stamps.
    std::string file(const std::string& content, const std::string& name = "source") const {
        std::string path = dir.write(name, content);
        make_old(path);
        return path;
    }
    static void make_old(const std::string& path) {
        const timespec times[2] = {{1'000'000'000, 0}, {1'000'000'000, 0}};
        if (utimensat(AT_FDCWD, path.c_str(), times, 0) != 0) throw std::runtime_error("utimensat " + path);
    }

    [[nodiscard]] std::optional<std::string> content() { return service.content("box", "data"); }
    [[nodiscard]] FakeBlobView view() {
        auto found = service.peek("box", "data");
        if (!found) throw std::runtime_error("there is no blob");
        return *found;
    }
    // Requests of this operation that the service carried out.
    [[nodiscard]] std::size_t done(const std::string& operation_name) const {
        std::size_t count = 0;
        for (const LoggedRequest& line : service.log()) {
            if (line.operation == operation_name && line.status >= 200 && line.status < 300) ++count;
        }
        return count;
    }
    // The headers of the n-th logged request (from 1) of this operation.
    [[nodiscard]] http::Headers sent(const std::string& operation_name, std::size_t n = 1) const {
        for (const LoggedRequest& line : service.log()) {
            if (line.operation == operation_name && --n == 0) return line.headers;
        }
        throw std::runtime_error("no such request: " + operation_name);
    }

    FakeClock clock;
    FakeService service;
    FaultyTransport faulty{service, clock};
    Actor us;
    Actor peer;
    TempDir dir;
    azure::BlobAddress blob{"box", "data", {}};

  private:
    static FakeOptions for_account(FakeOptions options, const std::string& account) {
        options.account = account;
        return options;
    }
};

// Bytes that do not repeat.
[[nodiscard]] inline std::string noise(std::size_t size, std::uint64_t seed = 1) {
    std::mt19937_64 engine(seed);
    std::string out;
    while (out.size() < size) {
        const std::uint64_t word = engine();
        out.append(reinterpret_cast<const char*>(&word), sizeof word);
    }
    out.resize(size);
    return out;
}

// For INFO: what went wrong, or nothing.
template <typename T>
[[nodiscard]] std::string why(const Result<T>& result) {
    if (result) return {};
    const Error& error = result.error();
    return std::string(to_string(error.code)) + ": " + error.message + " [" + error.service_code + "]";
}

}  // namespace azlock::test
