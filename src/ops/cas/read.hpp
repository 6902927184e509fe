// The version of a blob that a compare-and-swap update starts from.
#pragma once

#include "ops/cas/options.hpp"
#include "ops/read/sealed_content.hpp"
#include "ops/write/conditional_write.hpp"

namespace azlock::ops {

struct CasVersion {
    BlobBase base;
    SealedContent content;
    azure::PutBlobOptions put;  // what the next version keeps; without ring, conditions and checksum
    bool leased = false;
};

// Reads whole versions. Its arguments must outlive it. It warns only once that tags will be lost.
class CasReader {
  public:
    CasReader(azure::BlobClient& client, const azure::BlobAddress& blob, const CasOptions& options)
        : client_(client), blob_(blob), options_(options) {}

    // Errors: those of a download; not_found or precondition if the blob is missing and must not be created;
    // precondition if it is not a block blob; those of check_fence().
    [[nodiscard]] Result<CasVersion> read(const azure::Call& call);

  private:
    [[nodiscard]] Result<CasVersion> absent(Error error);
    [[nodiscard]] Status read_tier(azure::BlobProperties& found, const azure::Call& call);
    [[nodiscard]] Result<std::string> tags_of(const azure::BlobProperties& found, const azure::Call& call);
    [[nodiscard]] tl::unexpected<Error> refuse(ErrorCode code, std::string message, std::string hint = {}) const;

    azure::BlobClient& client_;
    const azure::BlobAddress& blob_;
    const CasOptions& options_;
    bool told_ = false;
};

}  // namespace azlock::ops
