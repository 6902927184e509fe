// The blob that an upload writes: the user's conditions, a container made on demand, and writes over exactly what was
// seen.
#pragma once

#include "azure/client.hpp"
#include "ops/upload/upload_options.hpp"
#include "ops/write/guarded_write.hpp"

namespace azlock::ops {

// Borrows everything it is given. Thread-safe.
class Destination {
  public:
    Destination(azure::BlobClient& client, const azure::BlobAddress& blob, const UploadOptions& options)
        : client_(client), blob_(blob), options_(options) {}

    [[nodiscard]] azure::BlobClient& client() const { return client_; }
    [[nodiscard]] const azure::BlobAddress& blob() const { return blob_; }
    [[nodiscard]] const UploadOptions& options() const { return options_; }

    // The blob as it is, with the fence and the user's conditions held against it; the container is made where that was
    // asked for.
    [[nodiscard]] Result<BlobBase> look_with_conditions(const azure::Call& call) const;
    // Runs `write` over the base; without conditions of the user a base that changed meanwhile is replaced as well, up
    // to three bases in all. With a fence so it is with conditions, too, where both hold for the new base.
    [[nodiscard]] Result<Written> write_rounds(BlobBase base, std::uint64_t write_id, const azure::Call& call,
                                               const GuardedWriteFunction& write) const;
    // The end of an upload: where leave_existing turns its failure into a success, that.
    [[nodiscard]] Result<UploadReport> settle_existing(Result<UploadReport> result, const azure::Call& call) const;
    [[nodiscard]] bool lacks_container(const Error& error) const;
    [[nodiscard]] Status create_container(const azure::Call& call) const;
    // Whether the fence allows to replace this base.
    [[nodiscard]] Status check_fence(const BlobBase& base) const;
    // Whether a base that holds the content already may stay as it is: not where the fence has yet to be raised.
    [[nodiscard]] bool may_stay(const BlobBase& base) const;
    // The user's metadata with the ring and the fence in it.
    [[nodiscard]] azure::Metadata metadata_with(const WriteRing& ring) const;
    [[nodiscard]] tl::unexpected<Error> refuse(ErrorCode code, std::string message, std::string hint = {}) const;

  private:
    azure::BlobClient& client_;
    const azure::BlobAddress& blob_;
    const UploadOptions& options_;
};

// Bases that may change under us before an upload gives up, where the user gave no condition.
inline constexpr int kMaxUploadRounds = 3;

}  // namespace azlock::ops
