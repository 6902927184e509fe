// The limits that the service's pages give for each version of the protocol.
#include "support/fake_limits.hpp"

#include <algorithm>
#include <array>

namespace azlock::test::fake {
namespace {

constexpr std::uint64_t kMiB = 1024ULL * 1024ULL;

constexpr std::array<std::string_view, 36> kVersions = {
    "2015-02-21", "2015-04-05", "2015-07-08", "2015-12-11", "2016-05-31", "2017-04-17", "2017-07-29", "2017-11-09",
    "2018-03-28", "2018-11-09", "2019-02-02", "2019-07-07", "2019-12-12", "2020-02-10", "2020-04-08", "2020-06-12",
    "2020-08-04", "2020-10-02", "2020-12-06", "2021-02-12", "2021-04-10", "2021-06-08", "2021-08-06", "2021-12-02",
    "2022-11-02", "2023-01-03", "2023-08-03", "2023-11-03", "2024-02-04", "2024-05-04", "2024-08-04", "2024-11-04",
    "2025-01-05", "2025-05-05", "2025-07-05", "2025-11-05"};

std::uint64_t by_version(const std::string& version, std::uint64_t old, std::uint64_t middle, std::uint64_t now) {
    if (version < "2016-05-31") return old * kMiB;
    return (version < "2019-12-12" ? middle : now) * kMiB;
}

std::uint64_t limit_of(const Call& call, const Limits& limits) {
    if (call.operation == "Put Blob") {
        return limits.put_blob != 0 ? limits.put_blob : by_version(call.version, 64, 256, 5000);
    }
    if (call.operation == "Put Block") {
        return limits.put_block != 0 ? limits.put_block : by_version(call.version, 4, 100, 4000);
    }
    if (call.operation == "Append Block") {
        if (limits.append_block != 0) return limits.append_block;
        return (call.version < "2022-11-02" ? 4 : 100) * kMiB;
    }
    return 64 * kMiB;  // a list of 50,000 blocks with the longest ids is about 5 MiB
}

}  // namespace

Check check_version(const Call& call) {
    if (call.version.empty()) return missing_header("x-ms-version");
    if (std::find(kVersions.begin(), kVersions.end(), call.version) == kVersions.end()) {
        return bad_header("x-ms-version", call.version);
    }
    return std::nullopt;
}

Check check_body_size(const Call& call, const Limits& limits) {
    const std::uint64_t limit = limit_of(call, limits);
    if (call.request->content_length() <= limit) return std::nullopt;
    return Refusal{413, "RequestBodyTooLarge", "MaxLimit", std::to_string(limit)};
}

bool is_public_read(Store& store, const Call& call) {
    if (call.has("Authorization") || !call.request->secret_query.empty()) return false;
    const Container* container = store.find_container(call.container);
    if (container == nullptr || container->public_access.empty()) return false;
    const std::string& op = call.operation;
    if (op.starts_with("Get Blob") || op == "Get Block List") return true;
    return container->public_access == "container" && (op == "List Blobs" || op.starts_with("Get Container"));
}

}  // namespace azlock::test::fake
