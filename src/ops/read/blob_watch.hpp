// Watches a blob by polling, gets the content of each new version, and goes on after network errors.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "azure/client.hpp"
#include "base/random.hpp"
#include "ops/read/download.hpp"

namespace azlock::ops {

struct WatchEvent {
    enum class Kind {
        watching,   // the first look, if no version was known before: the current version counts as seen
        changed,    // a new version; its content is in the target
        deleted,    // the blob that was seen is gone
        trouble,    // the blob cannot be read now
        recovered,  // the blob can be read again, and has not changed
    };
    Kind kind = Kind::watching;
    std::string etag;                   // of the current version; deleted: of the last version; empty without a blob
    std::string last_modified;          // changed
    std::uint64_t bytes = 0;            // changed
    Error error;                        // trouble
    std::chrono::nanoseconds pause{0};  // trouble: time until the next look
};

// Not thread-safe. The arguments must outlive it.
class BlobWatch {
  public:
    // Looks start every `interval`, plus or minus a tenth. The content of a change is written to `target`, which is
    // restarted before each look.
    BlobWatch(azure::BlobClient& client, const azure::BlobAddress& blob, DownloadTarget& target,
              std::chrono::nanoseconds interval);

    // This version (empty: no blob) was seen already, so that any other state is a change.
    void set_seen(std::string etag) { seen_ = std::move(etag); }

    // Waits for the next event. The first look is at once. So is a look that became due while the caller was busy: a
    // change in that time is not lost, but of several changes only the last is seen. Errors are final: a refusal (auth,
    // usage, not from the service), an error of the target, the stop, the deadline.
    [[nodiscard]] Result<WatchEvent> next(const azure::Call& call);

  private:
    [[nodiscard]] Status wait_for_look(const azure::Call& call);
    // nullopt: nothing has changed.
    [[nodiscard]] Result<std::optional<WatchEvent>> look(const azure::Call& call);
    [[nodiscard]] Result<std::optional<WatchEvent>> first_look(const azure::Call& call);
    [[nodiscard]] WatchEvent trouble(Error error);

    azure::BlobClient& client_;
    const azure::BlobAddress& blob_;
    DownloadTarget& target_;
    std::chrono::nanoseconds interval_;
    std::optional<std::string> seen_;
    std::optional<BootTime> next_look_;
    int failures_ = 0;
};

}  // namespace azlock::ops
