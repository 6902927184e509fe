// The log of requests and answers: what each level shows, and that no level shows a secret.
#include <cstdio>

#include <fcntl.h>
#include <unistd.h>

#include "base/file.hpp"
#include "cli/output/output.hpp"
#include "cli/output/wire_log.hpp"
#include "support/seeded_random.hpp"
#include "unit/ops/upload/upload_rig.hpp"

namespace azlock::cli {
namespace {

using test::kFakeKey;
using test::Rig;
using test::TempDir;

// Captures standard error for as long as it lives.
class Stderr {
  public:
    Stderr() : saved_(dup(STDERR_FILENO)) {
        const Fd file(open(dir_.file("stderr").c_str(), O_CREAT | O_RDWR, 0600));
        dup2(file.get(), STDERR_FILENO);
    }
    ~Stderr() { restore(); }
    Stderr(const Stderr&) = delete;
    Stderr& operator=(const Stderr&) = delete;
    std::string text() {
        restore();
        return test::read_text_file(dir_.file("stderr"));
    }

  private:
    void restore() {
        std::fflush(stderr);
        if (saved_) dup2(saved_.get(), STDERR_FILENO);
        saved_.reset();
    }
    TempDir dir_;
    Fd saved_;
};

constexpr const char* kSas = "sv=2023-11-03&sig=c2VjcmV0LXNhcw%3D%3D&se=2099";

// A Put Blob with this credential: the first attempt gets 503, the second one 403. Returns what was logged.
std::string log_of(int verbosity, bool quiet, bool sas, std::uint64_t* requests = nullptr,
                   std::uint64_t* retries = nullptr) {
    test::FakeOptions options;
    options.sas = kSas;
    Rig rig(std::move(options));
    rig.faulty.on("Put Blob").nth(1).return_status(503, "ServerBusy", std::chrono::seconds(9));
    rig.faulty.on("Put Blob").nth(2).return_status(403, "AuthenticationFailed");
    auto credential =
        sas ? azure::Credential::sas(Secret(kSas)) : azure::Credential::shared_key(test::kRigAccount, Secret(kFakeKey));
    SeededRandom random(1);
    Stderr captured;
    {
        const Output output({});
        WireLog log(output, verbosity, quiet);
        azure::Pipeline pipeline(rig.faulty, rig.clock, random, credential.value(), {}, &log);
        azure::BlobClient client(pipeline, rig.us.client().endpoint());
        (void)client.put_blob(rig.blob, http::make_body("x"), {}, {});
        if (requests != nullptr) *requests = log.requests();
        if (retries != nullptr) *retries = log.retries();
    }
    return captured.text();
}

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("the log counts requests and retries") {
    std::uint64_t requests = 0;
    std::uint64_t retries = 0;
    (void)log_of(0, true, false, &requests, &retries);
    CHECK(requests == 2);
    CHECK(retries == 1);
}

TEST_CASE("by itself the log tells of a long outage only, and quiet not even of that") {
    const std::string normal = log_of(0, false, false);
    INFO(normal);
    CHECK(has(normal, "trying Put Blob again in 9 s"));
    CHECK(!has(normal, "AuthenticationFailed"));
    CHECK(log_of(0, true, false).empty());
}

TEST_CASE("the log tells of refusals and retries with -v, and of every request and answer with -vv") {
    const std::string v = log_of(1, false, false);
    CHECK(has(v, "ServerBusy"));
    CHECK(has(v, "AuthenticationFailed"));
    CHECK(!has(v, "> Put Blob"));
    const std::string vv = log_of(2, false, false);
    CHECK(has(vv, "> Put Blob (attempt 1): PUT http://127.0.0.1:10000/rigaccount/box/data"));
    CHECK(has(vv, "> Put Blob (attempt 2)"));
    CHECK(has(vv, "< Put Blob: HTTP 503"));
    CHECK(has(vv, "x-ms-client-request-id"));
}

TEST_CASE("no level of the log tells a key, a signature or a SAS") {
    const int verbosity = GENERATE(0, 1, 2, 3);
    const std::string by_key = log_of(verbosity, false, false);
    CHECK(!has(by_key, kFakeKey));
    CHECK(!has(by_key, "SharedKey "));
    const std::string by_sas = log_of(verbosity, false, true);
    CHECK(!has(by_sas, "c2VjcmV0"));
    if (verbosity >= 2) CHECK(has(by_sas, "sig=REDACTED"));
    if (verbosity >= 2) CHECK(has(by_key, "Authorization: REDACTED"));
}

}  // namespace azlock::cli
