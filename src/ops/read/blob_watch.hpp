// Watches a blob by polling, gets the content of each new version, and goes on after network errors.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "azure/client.hpp"
#include "ops/read/content_file.hpp"

namespace azlock::ops {

struct WatchEvent {
    enum class Kind {
        watching,   // the first look, if no version was known before: the current version counts as seen
        changed,    // a new version
        deleted,    // the blob that was seen is gone
        trouble,    // the blob cannot be read now
        recovered,  // the blob can be read again, and has not changed
    };
    Kind kind = Kind::watching;
    std::string etag = {};           // of the current version; deleted: of the last version; empty without a blob
    std::string last_modified = {};  // changed
    std::uint64_t bytes = 0;         // changed
    // changed: what the version holds, in a file that no other version gets; null if it is empty
    std::shared_ptr<ContentFile> content = {};
    Error error = {};                   // trouble
    std::chrono::nanoseconds pause{0};  // trouble: time until the next look
};

// Not thread-safe. The arguments must outlive it.
class BlobWatch {
  public:
    // Looks start every `interval`, plus or minus a tenth.
    BlobWatch(azure::BlobClient& client, const azure::BlobAddress& blob, std::chrono::nanoseconds interval)
        : client_(client), blob_(blob), interval_(interval) {}

    // This version (empty: no blob) was seen already, so that any other state is a change.
    void set_seen(std::string etag) { seen_ = std::move(etag); }

    // Waits for the next event. The first look starts at once. A look that became due while the caller was busy starts
    // at once too: a change in that time is not lost, but of several changes only the last is seen. Errors are final: a
    // refusal (auth, usage), an answer that is not from the service before the service has ever answered, a content
    // that cannot be kept (io), the stop, the deadline (unavailable, also if it passed during a look).
    [[nodiscard]] Result<WatchEvent> next(const azure::Call& call);
    // The same, but nullopt if no event has come at `until`.
    [[nodiscard]] Result<std::optional<WatchEvent>> next_until(Deadline until, const azure::Call& call);

  private:
    [[nodiscard]] Status wait_for_look(Deadline until, const azure::Call& call);
    [[nodiscard]] bool may_pass(const Error& error) const;
    [[nodiscard]] Error out_of_time() const;
    [[nodiscard]] Error cut_short(Error error) const;
    // nullopt: nothing has changed.
    [[nodiscard]] Result<std::optional<WatchEvent>> look(const azure::Call& call);
    [[nodiscard]] Result<std::optional<WatchEvent>> first_look(const azure::Call& call);
    [[nodiscard]] WatchEvent trouble(Error error);

    azure::BlobClient& client_;
    const azure::BlobAddress& blob_;
    std::chrono::nanoseconds interval_;
    std::optional<std::string> seen_;
    std::optional<BootTime> next_look_;
    int failures_ = 0;
    bool answered_ = false;  // the service has answered a look
};

}  // namespace azlock::ops
