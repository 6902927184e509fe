#include "ops/cas/read.hpp"

#include "azure/refusals.hpp"

namespace azlock::ops {
tl::unexpected<Error> CasReader::refuse(ErrorCode code, std::string message, std::string hint) const {
    Error error = make_error(code, std::move(message), std::move(hint));
    error.target = blob_.to_string();
    return fail(std::move(error));
}

Result<CasVersion> CasReader::read(const azure::Call& call) {
    auto content = SealedContent::make(options_.max_size);
    if (!content) return fail(content.error());
    DownloadOptions wanted;
    if (options_.if_match != kAnyVersion) wanted.conditions.if_match = options_.if_match;
    wanted.conditions.lease_id = options_.lease_id;
    auto got = download_blob(client_, blob_, *content, wanted, call);
    if (!got && got.error().http_status == 404 && azure::is_missing_blob(got.error())) {
        return absent(got.error());
    }
    if (!got) {
        Error error = got.error();
        // The blob changed while it was read. The service has no code for that.
        const bool changed = error.code == ErrorCode::precondition && error.service_code.empty();
        if (changed) error.service_code = "ConditionNotMet";
        return fail(std::move(error));
    }
    azure::BlobProperties& found = got->properties;
    if (found.blob_type != "BlockBlob") {
        return refuse(ErrorCode::precondition,
                      "it is not a block blob (" + found.blob_type + "): it cannot be replaced",
                      found.blob_type == "AppendBlob" ? "'azlock append' adds to it" : "");
    }
    if (options_.fence) {
        const auto allowed = check_fence(found.metadata, *options_.fence);
        if (!allowed) return refuse(allowed.error().code, allowed.error().message, allowed.error().hint);
    }
    if (auto ok = read_tier(found, call); !ok) return fail(ok.error());
    auto tags = tags_of(found, call);
    if (!tags) return fail(tags.error());
    if (auto sealed = content->seal(); !sealed) return fail(sealed.error());
    const bool leased = found.lease.state == "leased" || found.lease.state == "breaking";
    return CasVersion{base_of(found), std::move(*content), kept_properties(found, std::move(*tags)), leased};
}

Result<CasVersion> CasReader::absent(Error error) {
    if (!options_.if_match.empty() || !options_.lease_id.empty()) {
        return refuse(ErrorCode::precondition, "the condition is not met: the blob does not exist");
    }
    if (!options_.create) {
        error.hint = "--create makes it";
        return fail(std::move(error));
    }
    auto content = SealedContent::make(options_.initial.size());
    if (!content) return fail(content.error());
    if (auto ok = content->write(as_bytes(options_.initial)); !ok) return fail(ok.error());
    if (auto ok = content->seal(); !ok) return fail(ok.error());
    CasVersion out{{}, std::move(*content), {}, false};
    out.put.content.type = options_.content_type;
    return out;
}

// The answer to Get Blob does not have the tier.
Status CasReader::read_tier(azure::BlobProperties& found, const azure::Call& call) {
    if (!found.access_tier.empty() || !options_.changes.access_tier.empty()) return {};
    azure::Conditions same;
    same.if_match = found.etag;
    same.lease_id = options_.lease_id;
    auto head = client_.get_properties(blob_, same, call);
    if (head) {
        found.access_tier = head->properties.access_tier;
        found.access_tier_inferred = head->properties.access_tier_inferred;
        return {};
    }
    Error error = head.error();
    if (error.code == ErrorCode::not_found) error.service_code = "ConditionNotMet";  // it was there a moment ago
    return fail(std::move(error));
}

Result<std::string> CasReader::tags_of(const azure::BlobProperties& found, const azure::Call& call) {
    if (found.tag_count == 0 || !options_.changes.tags.empty()) return std::string();
    auto tags = client_.get_tags(blob_, options_.lease_id, call);
    // If the blob is gone by now, nothing will be written over it.
    if (!tags && tags.error().code == ErrorCode::not_found) return std::string();
    if (tags || tags.error().code != ErrorCode::auth) return tags;
    if (!told_) {
        options_.tell(blob_.to_string() +
                      ": its tags cannot be read with this credential and will be lost (--tags gives it new ones)");
    }
    told_ = true;
    return std::string();
}

}  // namespace azlock::ops
