// The blob that an upload writes: checks the user's conditions, creates the container if needed, and replaces only the
// version that was seen.
#pragma once

#include "ops/upload/upload_options.hpp"
#include "ops/write/conditional_write.hpp"

namespace azlock::ops {

// Thread-safe. The arguments must outlive it.
class UploadTarget {
  public:
    UploadTarget(azure::BlobClient& client, const azure::BlobAddress& blob, const UploadOptions& options)
        : client_(client), blob_(blob), options_(options) {}

    [[nodiscard]] azure::BlobClient& client() const { return client_; }
    [[nodiscard]] const azure::BlobAddress& blob() const { return blob_; }
    [[nodiscard]] const UploadOptions& options() const { return options_; }

    // Reads the blob and checks the fence and the user's conditions. Creates the container if the options say so. A
    // blob of another type is an error (precondition), or is deleted if the options say so; then the base is "no blob".
    // If the credential may not read, and the options need no more than to write, the base was not seen (BlobBase).
    [[nodiscard]] Result<BlobBase> look_with_conditions(const azure::Call& call) const;
    // Runs `write` over the base. If the base changed meanwhile, waits a little and tries the new base, until
    // kRoundTime is over. Then the error is unavailable. With conditions of the user it tries a new base only under a
    // fence, and only if fence and conditions hold for it; without a fence it repeats the write over the same base if
    // only staged blocks were dropped (blocks_dropped). After a lost answer, and without conditions, a version that
    // somebody has since written without looking is a later one: success (Written without an ETag).
    [[nodiscard]] Result<Written> write_rounds(BlobBase base, std::uint64_t write_id, const azure::Call& call,
                                               const ConditionalWrite& write) const;
    // To be called with the result of an upload: leave_existing may make a success of its failure.
    [[nodiscard]] Result<UploadReport> accept_existing(Result<UploadReport> result, const azure::Call& call) const;
    [[nodiscard]] bool lacks_container(const Error& error) const;
    // Error: the fence does not allow us to replace this base.
    [[nodiscard]] Status check_fence(const BlobBase& base) const;
    // True if a base that already holds the content may stay unchanged. False if the fence must still be raised.
    [[nodiscard]] bool may_stay(const BlobBase& base) const;
    // Error (usage): the user's metadata leaves no room for what azlock adds. To be called before anything is sent.
    [[nodiscard]] Status check_metadata() const;
    // The user's metadata with the ring and the fence added.
    [[nodiscard]] azure::Metadata metadata_with(const WriteRing& ring) const;
    [[nodiscard]] tl::unexpected<Error> refuse(ErrorCode code, std::string message, std::string hint = {}) const;

  private:
    [[nodiscard]] bool must_look() const;
    [[nodiscard]] Result<BlobBase> without_look(const azure::Call& call) const;
    [[nodiscard]] Result<Written> overtaken_or(Error failure, const BlobBase& base, const azure::Call& call) const;
    [[nodiscard]] Status make_room(const BlobBase& other, const azure::Call& call) const;
    [[nodiscard]] Result<BlobBase> next_base(const BlobBase& former, const Error& refusal,
                                             const azure::Call& call) const;

    azure::BlobClient& client_;
    const azure::BlobAddress& blob_;
    const UploadOptions& options_;
};

// What to do about a blob of another type.
inline constexpr const char* kReplaceHint = "--replace-type deletes it first";

// The commit was refused because staged blocks are gone: the commit of somebody else dropped them.
[[nodiscard]] bool blocks_dropped(const Error& error);

// If the blob changes each time, an upload without conditions gives up when this time has passed since the first
// refusal and it has made kLeastRounds rounds. Each refusal means that another write succeeded.
inline constexpr auto kRoundTime = std::chrono::minutes(5);
inline constexpr int kLeastRounds = 6;

}  // namespace azlock::ops
