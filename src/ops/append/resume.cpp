// Finds out how much of a source an append blob already holds, by a note in its metadata and by its bytes
// (docs/append.md).
#include "azure/metadata.hpp"
#include "base/text.hpp"
#include "ops/append/appender.hpp"
#include "ops/append/compare.hpp"
#include "ops/lease/refusal.hpp"

namespace azlock::ops {
namespace {

constexpr const char* kBase = "azl_append_base";      // offset in the blob at which the source begins
constexpr const char* kSource = "azl_append_source";  // name of the source, percent-encoded
constexpr std::size_t kLongestName = 512;

}  // namespace

Result<std::uint64_t> Appender::resume(const http::Body& source, const std::string& name) {
    const std::string encoded = percent_encode(name).substr(0, kLongestName);
    auto found = find_source(source, encoded);
    while (!found && turn_.held() && is_definitive(found.error())) {  // an outage was longer than our lease
        turn_.lose();
        found = find_source(source, encoded);
    }
    if (!found) end_turn();
    return found;
}

Result<std::uint64_t> Appender::find_source(const http::Body& source, const std::string& name) {
    if (auto ready = take_turn(); !ready) return fail(ready.error());
    if (auto seen = look(); !seen) return fail(seen.error());  // reads the metadata under the lease
    if (auto allowed = raise_fence(); !allowed) return fail(allowed.error());
    const auto begin = parse_u64(azure::find_metadata(state_.metadata, kBase).value_or(""));
    if (!begin || azure::find_metadata(state_.metadata, kSource) != name) {
        azure::Metadata metadata = state_.metadata;
        azure::erase_metadata(metadata, kBase);
        azure::erase_metadata(metadata, kSource);
        metadata[kBase] = std::to_string(state_.length);
        metadata[kSource] = name;
        azure::Conditions conditions;
        conditions.lease_id = sender_.lease_id();
        const auto noted = retry_.ask(
            [&](const azure::Call& call) { return client_.set_metadata(blob_, metadata, conditions, call); });
        if (!noted) return fail(noted.error());
        state_.etag = noted->etag;
        state_.metadata = std::move(metadata);
        return 0;
    }
    Error other = make_error(ErrorCode::data, "", "append without --resume to add the whole source after these bytes");
    other.target = blob_.to_string();
    if (*begin > state_.length || state_.length - *begin > source.size()) {
        other.message = "the blob and the source do not fit: the source begins at byte " + std::to_string(*begin) +
                        " of the blob, the blob has " + std::to_string(state_.length) + " bytes, and the source has " +
                        std::to_string(source.size());
        return fail(std::move(other));
    }
    const std::uint64_t there = state_.length - *begin;
    std::optional<std::jthread> renewing;  // the comparison may take long
    if (turn_.held() && there > 0) renewing = turn_.renewing();
    const auto same = retry_.ask([&](const azure::Call& call) {
        return blob_holds(client_, blob_, *begin, source, there, {}, {kNoDeadline, call.stop});
    });
    if (!same) return fail(same.error());
    if (*same) return there;
    other.message = "from byte " + std::to_string(*begin) + " on, the blob differs from the beginning of the source";
    return fail(std::move(other));
}

}  // namespace azlock::ops
