// Sees each change of a blob, with the content of the new version: polling, patient with a bad line.
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
        watching,   // the first look, where nothing was known before: what is there now counts as seen
        changed,    // a version that was not seen yet; its content is in the target
        deleted,    // what was seen is gone
        trouble,    // it cannot be seen at present
        recovered,  // it can be seen again, and is as it was
    };
    Kind kind = Kind::watching;
    std::string etag;                   // of what is there now; deleted: of what was; empty where there is no blob
    std::string last_modified;          // changed
    std::uint64_t bytes = 0;            // changed
    Error error;                        // trouble
    std::chrono::nanoseconds pause{0};  // trouble: until the next look
};

// Not thread-safe. Borrows all that it is given.
class BlobWatch {
  public:
    // Looks are `interval` apart, give or take a tenth, from one's start to the next one's start. What a change brings
    // is written to `target`, which is told to restart before each.
    BlobWatch(azure::BlobClient& client, const azure::BlobAddress& blob, DownloadTarget& target,
              std::chrono::nanoseconds interval);

    // This version (empty: that there is none) was seen already, so that what differs from it is a change.
    void set_seen(std::string etag) { seen_ = std::move(etag); }

    // Waits for what happens next. The first look is at once, and so is one that was due while the caller was busy: a
    // change in that time is not lost, several are seen as the last of them. An error is final: a refusal (auth, usage,
    // not from the service), the target's, the stop, the deadline.
    [[nodiscard]] Result<WatchEvent> next(const azure::Call& call);

  private:
    [[nodiscard]] Status wait_for_look(const azure::Call& call);
    // nullopt: as it was.
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
