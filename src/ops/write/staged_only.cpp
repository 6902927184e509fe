#include "ops/write/staged_only.hpp"

#include "base/shell_quote.hpp"
#include "base/text.hpp"

namespace azlock::ops {

bool has_staged_blocks(azure::BlobClient& client, const azure::BlobAddress& blob, const azure::Call& call) {
    bool found = false;
    const auto listed = client.get_block_list(
        blob, azure::BlockListType::uncommitted, "", [&](const azure::Block&) { found = true; }, [&] { found = false; },
        call);
    return listed && found;
}

Error only_staged(const azure::BlobAddress& blob, const std::string& what) {
    Error error = make_error(ErrorCode::precondition,
                             what +
                                 " cannot be created: only staged blocks have its name, of an upload that still "
                                 "runs or was interrupted",
                             way_out_of_staged(blob));
    error.target = blob.to_string();
    return error;
}

std::string way_out_of_staged(const azure::BlobAddress& blob) {
    return "let that upload finish, or drop its blocks: azlock delete " + printable(shell_word(blob.to_string())) +
           " --staged";
}

}  // namespace azlock::ops
