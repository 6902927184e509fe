#include "ops/queue/task.hpp"

#include <array>
#include <cstdio>

#include "azure/metadata.hpp"
#include "azure/names.hpp"
#include "base/encoding.hpp"
#include "base/http_date.hpp"
#include "base/text.hpp"
#include "ops/lease/owner_record.hpp"

namespace azlock::ops {
namespace {

constexpr std::string_view kPrefix = "azl_task_";
constexpr const char* kKey = "azl_task_key";
constexpr const char* kPut = "azl_task_put";
constexpr const char* kDue = "azl_task_due";
constexpr const char* kAttempts = "azl_task_attempts";
constexpr const char* kDeferred = "azl_task_deferred";
constexpr const char* kForgiven = "azl_task_forgiven";
constexpr const char* kExit = "azl_task_exit";
constexpr const char* kWhy = "azl_task_why";
constexpr const char* kPriority = "azl_task_priority";
constexpr const char* kDied = "azl_task_died";
constexpr const char* kMoving = "azl_task_moving";
constexpr std::string_view kArriving = "arriving";
constexpr std::string_view kLeft = "left";
constexpr const char* kStderr = "azl_task_stderr";

constexpr std::size_t kMaxId = 200;
constexpr std::size_t kMaxWhy = 600;
constexpr std::size_t kMaxStderr = 3000;  // bytes of metadata, of which a blob has 8 KiB

// More than a task can have had: whoever wrote that, it is no count.
constexpr std::uint64_t kMostAttempts = 1'000'000'000'000;

// As new_task_key() makes it. It becomes part of blobs' names.
bool is_key(const std::string& text) {
    return text.size() == 16 && std::all_of(text.begin(), text.end(), is_alnum);
}

// The task or dead letter with this name, by its fields; its id is the name's part after `folder`. nullopt: the blob is
// not in that folder, is in a subfolder, or is not a block blob.
std::optional<QueueTask> read_blob(const std::string& folder, const azure::BlobAddress& blob,
                                   const azure::BlobProperties& properties) {
    const bool block_blob = properties.blob_type.empty() || properties.blob_type == "BlockBlob";
    if (!block_blob || !blob.blob.starts_with(folder)) return std::nullopt;
    QueueTask out;
    out.blob = blob;
    out.id = blob.blob.substr(folder.size());
    if (out.id.empty() || out.id.find('/') != std::string::npos) return std::nullopt;
    out.etag = properties.etag;
    out.size = properties.content_length;
    out.lease_state = properties.lease.state;
    out.tier = properties.access_tier;
    out.metadata = properties.metadata;
    const auto text = [&](const char* name) { return azure::find_metadata(out.metadata, name).value_or(""); };
    const auto number = [&](const char* name) { return parse_u64(text(name)); };
    const auto time = [&](const char* name) { return parse_iso8601(text(name)); };
    out.key = text(kKey);
    if (!is_key(out.key)) out.key.clear();
    out.claim = text(kTaskClaimName);
    out.put = time(kPut);
    if (!out.put) out.put = parse_http_date(properties.creation_time);
    out.due = time(kDue);
    out.attempts = number(kAttempts).value_or(0);
    if (out.attempts > kMostAttempts) out.attempts = 0;
    out.deferred = std::min(number(kDeferred).value_or(0), out.attempts);
    out.forgiven = std::min(number(kForgiven).value_or(0), out.attempts);
    if (const auto code = number(kExit); code && *code < 256) out.exit_code = static_cast<int>(*code);
    out.why = azure::decode_metadata_text(text(kWhy));
    out.died = time(kDied);
    out.error_tail = azure::decode_metadata_text(text(kStderr));
    const std::string moving = text(kMoving);
    out.moving = moving == kArriving ? Moving::arriving : moving == kLeft ? Moving::left : Moving::no;
    const auto priority = number(kPriority);
    if (priority && *priority <= kLeastUrgent) out.priority = static_cast<int>(*priority);
    return out;
}

// The mark of a move may come later.
constexpr std::size_t kMarkSize = 40;
constexpr std::size_t kShortWhy = 120;

// How long the value of another entry may be.
std::size_t room(const azure::Metadata& metadata, std::string_view name) {
    const std::size_t used = metadata_size(metadata) + name.size() + kMarkSize;
    return kMetadataLimit - std::min(kMetadataLimit, used);
}

// Leaves out the longest entries of others until a short reason fits.
void make_room(azure::Metadata& metadata) {
    while (room(metadata, kWhy) < kShortWhy) {
        auto longest = metadata.end();
        for (auto it = metadata.begin(); it != metadata.end(); ++it) {
            if (istarts_with(it->first, "azl_")) continue;
            if (longest == metadata.end() || it->second.size() > longest->second.size()) longest = it;
        }
        if (longest == metadata.end()) return;
        metadata.erase(longest);
    }
}

}  // namespace

std::size_t metadata_size(const azure::Metadata& metadata) {
    std::size_t out = 0;
    for (const auto& [name, value] : metadata) out += name.size() + value.size();
    return out;
}

azure::BlobAddress QueueName::task(int priority, const std::string& id) const {
    return {container, tasks() + std::to_string(priority) + "-" + id, {}};
}

azure::BlobAddress QueueName::dead_letter(const std::string& id) const {
    return {container, dead_letters() + id, {}};
}

Result<QueueName> queue_name(const azure::BlobAddress& address) {
    QueueName out{address.container, address.blob};
    while (out.prefix.ends_with('/')) out.prefix.pop_back();
    if (out.prefix.empty()) {
        return fail(ErrorCode::usage, in_quotes(address.to_string()) + " does not name a queue",
                    "give it as CONTAINER/PREFIX");
    }
    if (!address.snapshot.empty()) return fail(ErrorCode::usage, "a snapshot cannot be a queue");
    for (const std::string_view own : {".dead", ".batches"}) {
        if (!out.prefix.ends_with(own)) continue;
        return fail(ErrorCode::usage,
                    "a queue cannot be named " + in_quotes(out.to_string()) + ": names that end with " +
                        std::string(own) + " are for what belongs to another queue",
                    own == ".dead" ? "its dead letters are shown with --dead" : "");
    }
    if (auto ok = azure::check_blob_name(out.dead_letters() + "x"); !ok) return fail(ok.error());
    return out;
}

Result<Queue> make_queue(const azure::BlobAddress& address, azure::BlobClient& many, azure::BlobClient& single,
                         int retries) {
    http::RetryPolicy retry;
    retry.max_attempts = retries + 1;
    return queue_name(address).map([&](QueueName name) { return Queue{std::move(name), many, single, retry}; });
}

Status check_task_id(const std::string& id) {
    if (id.empty() || id.size() > kMaxId) {
        return fail(ErrorCode::usage, "a task's id must have 1 to " + std::to_string(kMaxId) + " bytes");
    }
    if (id.find('/') != std::string::npos) {
        return fail(ErrorCode::usage, "the id " + in_quotes(id) + " contains a slash");
    }
    return azure::check_blob_name(id);
}

std::string new_task_id(WallTime now, unsigned sequence, Random& random) {
    std::string out = format_iso8601(now);  // "2023-11-14T22:13:20Z" becomes "20231114T221320"
    std::erase_if(out, [](char c) { return c == '-' || c == ':' || c == 'Z'; });
    const auto since_epoch = std::chrono::floor<std::chrono::milliseconds>(now.time_since_epoch());
    std::array<char, 64> rest{};
    std::snprintf(rest.data(), rest.size(), ".%03dZ-%04u-%08x", static_cast<int>(since_epoch.count() % 1000),
                  sequence % 10'000, static_cast<unsigned>(random.next() & 0xFFFF'FFFFU));
    return out + rest.data();
}

std::string new_task_key(Random& random) {
    std::array<char, 20> text{};
    std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(random.next()));
    return text.data();
}

std::optional<QueueTask> read_task(const QueueName& queue, const std::string& blob_name,
                                   const azure::BlobProperties& properties) {
    auto out = read_blob(queue.tasks(), {queue.container, blob_name, {}}, properties);
    if (!out || out->id.size() < 3 || out->id[0] < '0' || out->id[0] > '9' || out->id[1] != '-') return std::nullopt;
    out->priority = out->id[0] - '0';
    out->id.erase(0, 2);
    return out;
}

std::optional<QueueTask> read_dead_letter(const QueueName& queue, const std::string& blob_name,
                                          const azure::BlobProperties& properties) {
    auto out = read_blob(queue.dead_letters(), {queue.container, blob_name, {}}, properties);
    if (out) out->dead = true;
    return out;
}

azure::Metadata with_task_fields(const azure::Metadata& present, const QueueTask& task) {
    azure::Metadata out = present;
    std::erase_if(out, [](const auto& pair) { return istarts_with(pair.first, kPrefix); });
    const auto text = [&](const char* name, const std::string& value) {
        if (!value.empty()) out[name] = value;
    };
    const auto time = [&](const char* name, const std::optional<WallTime>& value) {
        if (value) out[name] = format_iso8601(*value);
    };
    text(kKey, task.key);
    text(kTaskClaimName, task.claim);
    time(kPut, task.put);
    time(kDue, task.due);
    if (task.attempts > 0) out[kAttempts] = std::to_string(task.attempts);
    if (task.deferred > 0) out[kDeferred] = std::to_string(task.deferred);
    if (task.forgiven > 0) out[kForgiven] = std::to_string(task.forgiven);
    if (task.exit_code) out[kExit] = std::to_string(*task.exit_code);
    if (task.died) {
        time(kDied, task.died);
        out[kPriority] = std::to_string(task.priority);
    }
    make_room(out);
    text(kWhy, azure::encode_metadata_text(task.why, std::min(kMaxWhy, room(out, kWhy))));
    if (task.died)
        text(kStderr, azure::encode_metadata_tail(task.error_tail, std::min(kMaxStderr, room(out, kStderr))));
    return with_moving(out, task.moving);
}

azure::Metadata with_moving(const azure::Metadata& present, Moving moving) {
    azure::Metadata out = present;
    azure::erase_metadata(out, kMoving);
    if (moving != Moving::no) out[kMoving] = moving == Moving::left ? kLeft : kArriving;
    return out;
}

std::uint64_t failures_so_far(const QueueTask& task) {
    // Counting the attempt leaves the holder's record; a claim that has not come so far has none.
    const bool attempt_runs = !task.dead && task.runs() && !read_owner_record(task.metadata).empty();
    const std::uint64_t counted = task.failures();
    return attempt_runs && counted > 0 ? counted - 1 : counted;
}

std::string_view to_string(TaskState state) {
    switch (state) {
        case TaskState::ready: return "ready";
        case TaskState::delayed: return "delayed";
        case TaskState::archived: return "archived";
        case TaskState::running: return "running";
        case TaskState::dead: return "dead";
    }
    return "?";
}

TaskState state_of(const QueueTask& task, WallTime now) {
    if (task.dead) return TaskState::dead;
    if (task.runs()) return TaskState::running;
    if (task.due && *task.due > now) return TaskState::delayed;
    return iequals(task.tier, "Archive") ? TaskState::archived : TaskState::ready;
}

std::optional<std::chrono::milliseconds> age_of(const QueueTask& task, WallTime now) {
    if (!task.put) return std::nullopt;
    return std::max(std::chrono::milliseconds(0), std::chrono::floor<std::chrono::milliseconds>(now - *task.put));
}

}  // namespace azlock::ops
