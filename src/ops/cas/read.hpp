// The version of a blob that a compare-and-swap update starts from.
#pragma once

#include <functional>
#include <string>

#include "ops/cas/update.hpp"
#include "ops/read/sealed_content.hpp"
#include "ops/write/guarded_write.hpp"

namespace azlock::ops {

struct CasVersion {
    BlobBase base;
    HeldContent content;
    azure::PutBlobOptions put;  // what the next version keeps; without ring, conditions and checksum
    bool leased = false;
};

// Reads whole versions. Borrows everything. Says once what it has to say.
class CasReader {
  public:
    CasReader(azure::BlobClient& client, const azure::BlobAddress& blob, const CasOptions& options)
        : client_(client), blob_(blob), options_(options) {}

    // Errors: those of a download; not_found and precondition where there is no blob and none may be made; precondition
    // where it is no block blob.
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
