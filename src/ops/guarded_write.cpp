#include "ops/guarded_write.hpp"

namespace azlock::ops {
namespace {

Error undecided(Error failure) {
    failure.code = ErrorCode::unavailable;
    failure.may_have_applied = true;
    failure.message = "the write may have been carried out, but its answer was lost: " + failure.message;
    failure.hint = "look at the blob with 'azlock show " + failure.target + "' before repeating the command";
    return failure;
}

}  // namespace

Result<BlobBase> look(azure::BlobClient& client, const azure::BlobAddress& blob, const azure::Conditions& conditions,
                      const azure::Call& call) {
    auto head = client.get_properties(blob, conditions, call);
    if (!head) {
        const Error& error = head.error();
        if (error.http_status == 404 && error.service_code == "BlobNotFound") return BlobBase{};
        return fail(error);
    }
    const azure::BlobProperties& found = head->properties;
    return BlobBase{true, found.etag, found.blob_type, WriteRing::read(found.metadata)};
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

Result<Written> settle(azure::BlobClient& client, const azure::BlobAddress& blob, const BlobBase& base,
                       std::uint64_t write_id, Error failure, const azure::Call& call) {
    const auto present = look(client, blob, {}, call);
    if (!present) return fail(undecided(std::move(failure)));
    if (present->ring.contains(write_id)) {
        const bool newest = present->ring.newest() == write_id;
        return Written{newest ? present->etag : std::string(), true};
    }
    const bool same = present->exists == base.exists && present->etag == base.etag;
    if (!same && fate_of(write_id, base.ring, present->ring) != WriteFate::not_applied) {
        return fail(undecided(std::move(failure)));
    }
    failure.may_have_applied = false;
    return fail(std::move(failure));
}

Result<Written> write_over(azure::BlobClient& client, const azure::BlobAddress& blob, const BlobBase& base,
                           std::uint64_t write_id, const std::string& lease_id, const azure::Call& call,
                           const GuardedWriteFunction& write) {
    WriteRing ring = base.ring;
    ring.add(write_id);
    auto result = write(only_over(base, lease_id), ring);
    if (result) return Written{result->etag, false};
    if (!result.error().may_have_applied) return fail(result.error());
    return settle(client, blob, base, write_id, result.error(), call);
}

}  // namespace azlock::ops
