// A task of a queue: a blob below the queue's prefix, named by priority and id; what azlock keeps in its metadata.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "azure/address.hpp"
#include "azure/types.hpp"
#include "base/clock.hpp"
#include "base/random.hpp"
#include "base/result.hpp"

namespace azlock::ops {

inline constexpr int kMostUrgent = 0;
inline constexpr int kLeastUrgent = 9;
inline constexpr int kDefaultPriority = 5;

// Tasks are PREFIX/P-ID, where P is the priority's digit; dead letters are PREFIX.dead/ID.
struct QueueName {
    std::string container;
    std::string prefix;  // without a slash at its end; never empty

    [[nodiscard]] std::string tasks() const { return prefix + "/"; }
    [[nodiscard]] std::string dead_letters() const { return prefix + ".dead/"; }
    [[nodiscard]] azure::BlobAddress task(int priority, const std::string& id) const;
    [[nodiscard]] azure::BlobAddress dead_letter(const std::string& id) const;
    // "container/prefix", for messages.
    [[nodiscard]] std::string to_string() const { return container + "/" + prefix; }
};
// Error: usage, where the address names no prefix or one that no blob could have.
[[nodiscard]] Result<QueueName> queue_name(const azure::BlobAddress& address);

// What can stand in a name, without a slash, at most 200 bytes. Error: usage.
[[nodiscard]] Status check_task_id(const std::string& id);
// Sorts by time, then by `sequence` (below 10,000).
[[nodiscard]] std::string new_task_id(WallTime now, unsigned sequence, Random& random);
// 16 hexadecimal digits.
[[nodiscard]] std::string new_task_key(Random& random);

struct QueueTask {
    azure::BlobAddress blob;
    std::string id;
    int priority = kDefaultPriority;
    std::string etag;  // quoted
    std::uint64_t size = 0;
    std::string lease_state;
    azure::Metadata metadata;  // as it was found

    // What azlock keeps. Empty where it was not azlock that made the blob; what cannot be read counts as not there.
    std::string key;               // of this putting of the task: a later one with the same id has another
    std::string claim;             // of the attempt that was begun last
    std::optional<WallTime> put;   // when it was put; else when the blob was made
    std::optional<WallTime> due;   // not to be begun before, by the service's clock
    std::uint64_t attempts = 0;    // that were begun
    std::uint64_t deferred = 0;    // of those, how many ended without being a failure
    std::optional<int> exit_code;  // of the last attempt that came to an end
    std::string why;               // how it ended, in words
    // Of a dead letter.
    std::optional<WallTime> died;
    std::string error_tail;

    [[nodiscard]] std::uint64_t failures() const { return attempts - std::min(attempts, deferred); }
};

// nullopt: no task of this queue (another name, a folder below it, no block blob).
[[nodiscard]] std::optional<QueueTask> read_task(const QueueName& queue, const std::string& blob_name,
                                                 const azure::BlobProperties& properties);
[[nodiscard]] std::optional<QueueTask> read_dead_letter(const QueueName& queue, const std::string& blob_name,
                                                        const azure::BlobProperties& properties);

// `present` with the task's fields in place of those that it has; everything else stays. Texts are cut where needed: of
// error_tail the end stays.
[[nodiscard]] azure::Metadata with_task_fields(const azure::Metadata& present, const QueueTask& task);

enum class TaskState { ready, delayed, running, dead };
[[nodiscard]] std::string_view to_string(TaskState state);
// `now` is the service's time.
[[nodiscard]] TaskState state_of(const QueueTask& task, WallTime now);

}  // namespace azlock::ops
