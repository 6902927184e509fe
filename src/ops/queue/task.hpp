// A task of a queue: a blob below the queue's prefix, named by priority and id, with its fields in the metadata.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "azure/client.hpp"
#include "base/random.hpp"
#include "http/retry.hpp"

namespace azlock::ops {

// The metadata that tells which attempt wrote a blob: the task itself, and the output of --output-to.
inline constexpr const char* kTaskClaimName = "azl_task_claim";

// Exit codes of a task's command.
inline constexpr int kExitBury = 65;
inline constexpr int kExitLater = 75;

inline constexpr int kMostUrgent = 0;
inline constexpr int kLeastUrgent = 9;
inline constexpr int kDefaultPriority = 5;

// Tasks are PREFIX/P-ID, where P is the priority's digit; dead letters are PREFIX.dead/ID. PREFIX.batches/BATCH says
// how far a batch of lines is (put_batch.hpp).
struct QueueName {
    std::string container;
    std::string prefix;  // without a slash at its end; never empty

    [[nodiscard]] std::string tasks() const { return prefix + "/"; }
    [[nodiscard]] std::string dead_letters() const { return prefix + ".dead/"; }
    [[nodiscard]] std::string batches() const { return prefix + ".batches/"; }
    [[nodiscard]] azure::BlobAddress task(int priority, const std::string& id) const;
    [[nodiscard]] azure::BlobAddress dead_letter(const std::string& id) const;
    // "container/prefix", for messages.
    [[nodiscard]] std::string to_string() const { return container + "/" + prefix; }
};
// Error (usage): the address has no prefix, has a snapshot, has a prefix that no blob could have, or names the folder
// of a queue's dead letters or batches.
[[nodiscard]] Result<QueueName> queue_name(const azure::BlobAddress& address);

// A queue and the clients that reach it, which must outlive this. `many` retries; `single` sends each request once, and
// `retry` says how often its caller repeats a request.
struct Queue {
    QueueName name;
    azure::BlobClient& many;
    azure::BlobClient& single;
    http::RetryPolicy retry;
};
// Error: usage, as that of queue_name().
[[nodiscard]] Result<Queue> make_queue(const azure::BlobAddress& address, azure::BlobClient& many,
                                       azure::BlobClient& single, int retries);

// An id is 1 to 200 bytes that a blob name may have, without a slash. Error: usage.
[[nodiscard]] Status check_task_id(const std::string& id);
// Ids sort by time, then by the last four digits of `sequence`.
[[nodiscard]] std::string new_task_id(WallTime now, unsigned sequence, Random& random);
// 16 hexadecimal digits.
[[nodiscard]] std::string new_task_key(Random& random);

// Where a blob is on the way between the queue and its dead letters (move.hpp).
enum class Moving {
    no,
    arriving,  // it is a copy that does not count yet
    left       // its copy counts, and this one is only to be deleted
};

struct QueueTask {
    azure::BlobAddress blob;
    std::string id;
    int priority = kDefaultPriority;
    std::string etag;  // quoted
    std::uint64_t size = 0;
    std::string lease_state;
    std::string tier;
    azure::Metadata metadata;  // as it was found

    // What azlock keeps in the metadata. Empty if azlock did not create the blob. A value that cannot be read counts as
    // missing.
    std::string key;               // identifies this put: a later task with the same id has another key
    std::string claim;             // identifies the last attempt that was started
    std::optional<WallTime> put;   // when it was put; without that, when the blob was created
    std::optional<WallTime> due;   // the attempt must not start before, by the service's clock
    std::uint64_t attempts = 0;    // how many were started, also before it was a dead letter
    std::uint64_t deferred = 0;    // how many of them asked for a delay
    std::uint64_t forgiven = 0;    // how many else do not count as failures
    std::optional<int> exit_code;  // of the last attempt that ended
    std::string why;               // how it ended, in words
    Moving moving = Moving::no;
    // Of a dead letter, and of a task that must not run again but become one.
    std::optional<WallTime> died;
    std::string error_tail;
    bool dead = false;  // it is a dead letter, by its name

    // `due` is the pause after a failed attempt; else somebody asked for it.
    [[nodiscard]] bool pausing() const { return due && attempts > 0 && exit_code != kExitLater; }
    // Every attempt that was started counts until it has ended otherwise: a worker that dies says nothing more.
    [[nodiscard]] std::uint64_t failures() const { return attempts - std::min(attempts, deferred + forgiven); }
    // Somebody held its lease when it was read.
    [[nodiscard]] bool runs() const { return lease_state == "leased" || lease_state == "breaking"; }
};

// nullopt: the blob is not a task of this queue (another name, in a subfolder, or not a block blob).
[[nodiscard]] std::optional<QueueTask> read_task(const QueueName& queue, const std::string& blob_name,
                                                 const azure::BlobProperties& properties);
[[nodiscard]] std::optional<QueueTask> read_dead_letter(const QueueName& queue, const std::string& blob_name,
                                                        const azure::BlobProperties& properties);

// What a blob's metadata may have, in bytes of names and values, and how much of that a task of azlock leaves free for
// what azlock adds.
inline constexpr std::size_t kMetadataLimit = 8192;
inline constexpr std::size_t kMetadataReserve = 1024;
[[nodiscard]] std::size_t metadata_size(const azure::Metadata& metadata);

// `present` with its task fields replaced by those of `task`; all other metadata stays. Texts are cut if they are long
// or the limit is near: `why` keeps its beginning, error_tail its end. If even that is too much, because azlock did
// not put the task, the longest entries of others are left out.
[[nodiscard]] azure::Metadata with_task_fields(const azure::Metadata& present, const QueueTask& task);

// The metadata of a task with this mark, and without any other.
[[nodiscard]] azure::Metadata with_moving(const azure::Metadata& present, Moving moving);

// failures() without an attempt that still runs.
[[nodiscard]] std::uint64_t failures_so_far(const QueueTask& task);

// archived: ready, but the service does not hand out its content until it has another tier.
enum class TaskState { ready, delayed, archived, running, dead };
[[nodiscard]] std::string_view to_string(TaskState state);
// `now` is the service's time.
[[nodiscard]] TaskState state_of(const QueueTask& task, WallTime now);
// How long ago it was put; nullopt if that is not known. `now` as above.
[[nodiscard]] std::optional<std::chrono::milliseconds> age_of(const QueueTask& task, WallTime now);

}  // namespace azlock::ops
