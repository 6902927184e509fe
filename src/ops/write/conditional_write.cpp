#include "ops/write/conditional_write.hpp"

#include "azure/refusals.hpp"
#include "base/http_date.hpp"
#include "base/xxh3.hpp"
#include "ops/lease/view.hpp"

namespace azlock::ops {
namespace {

Error unknown(Error failure, const std::string& what) {
    failure.code = ErrorCode::unavailable;
    failure.may_have_applied = true;
    failure.message = what + ": " + failure.message;
    failure.hint = "look at the blob with 'azlock show " + failure.target + "' before repeating the command";
    return failure;
}

// For a write without an answer over a version that is older than the write and not its base.
Error not_over(Error failure, const BlobBase& base) {
    failure.code = ErrorCode::precondition;
    failure.retryable = false;
    failure.message = base.exists ? "the condition is not met: the blob is not as expected" : "the blob already exists";
    failure.hint.clear();
    return failure;
}

// Last-Modified and Date both count whole seconds.
constexpr auto kDateSlack = std::chrono::seconds(2);

constexpr const char* kLost = "it may have been carried out, but the answer was lost";
constexpr const char* kNotYet = "it has not been carried out so far, but there was no answer, and it still may be";

// What the ring has for a version without a ring, so that later rings tell that they come from it.
std::uint64_t id_of_version(const std::string& etag) {
    const Xxh3Sum sum = xxh3(as_bytes(etag));
    std::uint64_t id = 0;
    for (std::size_t i = 0; i < sizeof id; ++i) id = (id << 8U) | std::to_integer<std::uint64_t>(sum[i]);
    return id;
}

}  // namespace

Error unresolved(Error failure) {
    return unknown(std::move(failure), kLost);
}

Error undecided(Error failure, const Error& look_error) {
    if (look_error.code == ErrorCode::cancelled) {
        failure = look_error;
        failure.may_have_applied = true;
        return failure;
    }
    return unknown(std::move(failure), kLost);
}

bool written_blindly(const BlobBase& present) {
    constexpr std::size_t kOneMore = 32;
    const bool cut = size_of(present.metadata) + kOneMore > kMaxMetadata;
    return present.exists && !cut && WriteRing::read(present.metadata).size() == 1;
}

std::optional<Written> find_write(const BlobBase& present, std::uint64_t write_id) {
    if (!present.ring.contains(write_id)) return std::nullopt;
    const bool newest = present.ring.newest() == write_id;
    return Written{newest ? present.etag : std::string(), true};
}

Result<BlobBase> read_base(azure::BlobClient& client, const azure::BlobAddress& blob,
                           const azure::Conditions& conditions, const azure::Call& call) {
    auto head = client.get_properties(blob, conditions, call);
    if (!head) {
        const Error& error = head.error();
        if (error.http_status == 404 && azure::is_missing_blob(error)) return BlobBase{};
        return fail(error);
    }
    return base_of(head->properties);
}

BlobBase base_of(const azure::BlobProperties& found) {
    BlobBase base;
    base.exists = true;
    base.etag = found.etag;
    base.blob_type = found.blob_type;
    base.ring = WriteRing::read(found.metadata);
    if (!base.ring.newest()) base.ring.add(id_of_version(found.etag));
    base.content_length = found.content_length;
    base.content_md5 = found.content.md5;
    base.metadata = found.metadata;
    const LeaseView view = make_lease_view(found, std::nullopt);
    if (view.has_command()) base.lock_of = view.holder();
    return base;
}

azure::Conditions only_over(const BlobBase& base, const std::string& lease_id) {
    azure::Conditions conditions;
    if (base.exists) {
        conditions.if_match = base.etag;
    } else {
        conditions.if_none_match = "*";
    }
    conditions.lease_id = lease_id;
    return conditions;
}

Result<Written> resolve_lost_answer(azure::BlobClient& client, const azure::BlobAddress& blob, const BlobBase& base,
                                    std::uint64_t write_id, BootTime first_sent, Error failure,
                                    const azure::Call& call) {
    if (failure.code == ErrorCode::cancelled) return fail(std::move(failure));
    const auto head = client.get_properties(blob, {}, call);
    if (!head && !azure::is_missing_blob(head.error())) return fail(undecided(std::move(failure), head.error()));
    const BlobBase present = head ? base_of(head->properties) : BlobBase{};
    if (auto ours = find_write(present, write_id)) return *ours;
    if (!base.seen) return fail(unknown(std::move(failure), kLost));
    if (base.exists && present.etag == base.etag) {
        // A request that was not refused may still be under way.
        if (failure.code == ErrorCode::unavailable) return fail(unknown(std::move(failure), kNotYet));
    } else if (head && existed_before(*head, client.clock().now() - first_sent)) {
        if (failure.code == ErrorCode::unavailable) failure = not_over(std::move(failure), base);
    } else if (fate_of(write_id, base.ring, present.ring) != WriteFate::not_applied) {
        return fail(unknown(std::move(failure), kLost));
    }
    failure.may_have_applied = false;
    return fail(std::move(failure));
}

bool existed_before(const azure::BlobClient::HeadResult& head, std::chrono::nanoseconds ago) {
    const auto now = parse_http_date(head.date);
    const auto written = parse_http_date(head.properties.last_modified);
    return now && written && *written + kDateSlack < *now - ago;
}

bool written_since(const azure::BlobClient::HeadResult& head, std::chrono::nanoseconds ago) {
    const auto now = parse_http_date(head.date);
    const auto written = parse_http_date(head.properties.last_modified);
    return now && written && *written > *now - ago + kDateSlack;
}

Result<Written> write_over(azure::BlobClient& client, const azure::BlobAddress& blob, const BlobBase& base,
                           std::uint64_t write_id, const std::string& lease_id, const azure::Call& call,
                           const ConditionalWrite& write) {
    WriteRing ring = base.ring;
    if (!base.exists) ring.add(kNothing);
    ring.add(write_id);
    const BootTime first_sent = client.clock().now();
    auto result = write(only_over(base, lease_id), ring);
    if (result) return Written{result->etag, false};
    if (!result.error().may_have_applied) return fail(result.error());
    return resolve_lost_answer(client, blob, base, write_id, first_sent, result.error(), call);
}

}  // namespace azlock::ops
