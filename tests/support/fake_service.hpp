// An in-memory blob service behind Transport. It follows the published rules of the live service, not the emulator's.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "http/transport.hpp"
#include "support/fake_auth.hpp"
#include "support/fake_store.hpp"
#include "support/seeded_random.hpp"

namespace azlock::test {

// The emulator's well-known account.
inline constexpr const char* kFakeAccount = "devstoreaccount1";
inline constexpr const char* kFakeKey =
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

struct FakeOptions {
    std::string account = kFakeAccount;
    std::string key = kFakeKey;  // Base64
    std::string sas;             // a query that is accepted in place of a signature if it is exactly this
    std::string bearer;          // a token that is accepted in place of a signature
    bool check_auth = true;      // false: no request needs a credential
    std::uint64_t seed = 1;      // of request ids and lease ids
    fake::Limits limits;
    // How long the name of a deleted container cannot be used.
    std::chrono::nanoseconds container_deletion = std::chrono::seconds(30);
    // The service may return fewer results than it was asked for, even none, and still give a NextMarker.
    std::size_t list_page_limit = 5000;
    bool list_starts_empty = false;
    // The answer to Put Blob with If-None-Match:* on a blob that has only staged blocks is not published. true: 409, as
    // from the emulator.
    bool staged_blocks_refuse_create = false;
    // How far the service's wall clock is ahead of the tests' (Date, Last-Modified, the age of x-ms-date).
    std::chrono::nanoseconds wall_ahead{0};
};

// One line of the log. `target` has no secret in it.
struct LoggedRequest {
    std::string operation;  // "Put Block"; "" if the service knows no such operation
    http::Method method = http::Method::get;
    std::string target;
    http::Headers headers;
    std::uint64_t body_size = 0;
    int status = 0;
    std::string service_code;
};

// A blob as a test sees it without a request.
struct FakeBlobView {
    bool committed = false;  // false: staged blocks only
    bool append = false;
    std::string content;
    std::string etag;  // without quotes
    std::map<std::string, std::string> metadata;
    fake::Properties properties;
    std::vector<std::string> committed_ids;
    std::vector<std::string> staged_ids;
    std::string lease_state;
    std::string lease_id;
};

// Thread-safe. If the host of a request is a literal address or localhost, the account is the first segment of the
// path; otherwise it is the first label of the host.
//  * It holds whole bodies in memory.
//  * There are no snapshots, versions, page blobs or copies.
//  * The host name of an unknown account has no address (TransportFault::resolve).
class FakeService final : public http::Transport {
  public:
    // The clock must outlive the service. Leases follow clock.now(), dates clock.wall().
    explicit FakeService(const Clock& clock, FakeOptions options = {});

    [[nodiscard]] Result<http::Response> send(const http::Request& request, Deadline deadline,
                                              std::stop_token stop) override;

    // Every request that was answered counts, refused ones too.
    [[nodiscard]] std::size_t requests() const;
    [[nodiscard]] std::size_t requests(std::string_view operation) const;
    [[nodiscard]] std::vector<LoggedRequest> log() const;
    // The operations in the order of the log: {"Put Block", "Put Block", "Put Block List"}.
    [[nodiscard]] std::vector<std::string> operations() const;
    void clear_log();

    // Changes by somebody else: without a request, without a lease check, and not in the log.
    void make_container(const std::string& name);
    void put(const std::string& container, const std::string& blob, std::string content);
    void stage(const std::string& container, const std::string& blob, const std::string& block_id, std::string content);
    void erase(const std::string& container, const std::string& blob);
    [[nodiscard]] std::optional<FakeBlobView> peek(const std::string& container, const std::string& blob);
    // The content of a committed blob.
    [[nodiscard]] std::optional<std::string> content(const std::string& container, const std::string& blob);

  private:
    fake::Call make_call(const http::Request& request);
    fake::Call own_call(const std::string& container, const std::string& blob);
    Result<fake::Reply> answer(fake::Call& call, bool& early);
    fake::Check admit(const fake::Call& call);
    void record(const fake::Call& call, const http::Response& response);

    const Clock& clock_;
    const FakeOptions options_;
    SeededRandom random_;
    mutable std::mutex mutex_;
    fake::Store store_;
    std::vector<LoggedRequest> log_;
};

}  // namespace azlock::test
