#include "ops/append/target.hpp"

#include <algorithm>

#include "azure/refusals.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"

namespace azlock::ops {
namespace {

constexpr std::size_t kDigits = 4;

Error refusal(const azure::BlobAddress& blob, std::string message, std::string hint) {
    Error error = make_error(ErrorCode::precondition, std::move(message), std::move(hint));
    error.target = blob.to_string();
    return error;
}

// The number of a part, if the text has the form that part_of() writes: "0001", "12345".
std::optional<std::uint64_t> read_part_number(std::string_view text) {
    if (text.size() < kDigits || (text.size() > kDigits && text.front() == '0')) return std::nullopt;
    return parse_u64(text);
}

}  // namespace

Result<AppendState> look_at_append_blob(azure::BlobClient& client, const azure::BlobAddress& blob,
                                        const std::string& lease_id, const azure::Call& call) {
    azure::Conditions conditions;
    conditions.lease_id = lease_id;
    auto head = client.get_properties(blob, conditions, call);
    if (!head) return fail(head.error());
    const azure::BlobProperties& found = head->properties;
    if (found.blob_type != "AppendBlob") {
        const char* kind = found.blob_type == "PageBlob" ? "a page blob" : "a block blob";
        return fail(refusal(blob, std::string("it is ") + kind + ", and azlock can only append to an append blob",
                            "append to another name, or delete it first"));
    }
    return AppendState{found.etag,   found.content_length, true, found.committed_block_count.value_or(0),
                       found.sealed, found.metadata};
}

Status create_append_blob(azure::BlobClient& client, const azure::BlobAddress& blob, const std::string& content_type,
                          const azure::Call& call) {
    azure::PutBlobOptions options;
    options.blob_type = "AppendBlob";
    options.content.type = content_type;
    options.conditions.if_none_match = "*";
    const auto made = client.put_blob(blob, nullptr, options, call);
    if (made || azure::is_existing_blob(made.error())) return {};
    return fail(made.error());
}

Error refuse_sealed(const azure::BlobAddress& blob) {
    return refusal(blob, "it is sealed: nothing can be appended to it any more",
                   "--rotate continues in " + part_of(blob, 1).blob + "; or append to another name");
}

Error refuse_full(const azure::BlobAddress& blob, const AppendState& state, std::optional<std::uint64_t> max_size) {
    const bool blocks = state.blocks >= kMostAppendBlocks || !max_size;
    const std::string length = state.length_known ? "it has " + format_bytes(state.length) + ", and " : "";
    return refusal(blob,
                   blocks ? "it is full: an append blob takes at most 50000 appends"
                          : "it is full: " + length + "--max-size allows " + format_bytes(*max_size),
                   "--rotate continues in " + part_of(blob, 1).blob);
}

azure::BlobAddress part_of(const azure::BlobAddress& first, std::uint64_t number) {
    if (number == 0) return first;
    std::string digits = std::to_string(number);
    digits.insert(0, kDigits - std::min(kDigits, digits.size()), '0');
    azure::BlobAddress part = first;
    part.blob += "." + digits;
    return part;
}

Result<std::uint64_t> last_part(azure::BlobClient& client, const azure::BlobAddress& first, const azure::Call& call) {
    azure::ListOptions options;
    options.prefix = first.blob + ".";
    std::uint64_t last = 0;
    do {
        const auto page = client.list_blobs(first.container, options, call);
        if (!page) return fail(page.error());
        for (const azure::ListedBlob& blob : page->blobs) {
            const std::string_view rest = std::string_view(blob.name).substr(options.prefix.size());
            last = std::max(last, read_part_number(rest).value_or(0));
        }
        options.marker = page->next_marker;
    } while (!options.marker.empty());
    return last;
}

}  // namespace azlock::ops
