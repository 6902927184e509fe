#include "ops/queue/task.hpp"

#include <array>
#include <cstdio>
#include <ctime>

#include "azure/metadata.hpp"
#include "azure/names.hpp"
#include "base/encoding.hpp"
#include "base/http_date.hpp"
#include "base/text.hpp"

namespace azlock::ops {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::string_view kPrefix = "azl_task_";
constexpr const char* kKey = "azl_task_key";
constexpr const char* kPut = "azl_task_put";
constexpr const char* kDue = "azl_task_due";
constexpr const char* kAttempts = "azl_task_attempts";
constexpr const char* kDeferred = "azl_task_deferred";
constexpr const char* kExit = "azl_task_exit";
constexpr const char* kWhy = "azl_task_why";
constexpr const char* kPriority = "azl_task_priority";
constexpr const char* kDied = "azl_task_died";
constexpr const char* kStderr = "azl_task_stderr";

constexpr std::size_t kMaxId = 200;
constexpr std::size_t kMaxWhy = 600;
constexpr std::size_t kMaxStderr = 3000;  // bytes of metadata, of which a blob has 8 KiB

class Fields {
  public:
    explicit Fields(const azure::Metadata& metadata) : metadata_(metadata) {}

    [[nodiscard]] std::string text(const char* name) const {
        return azure::find_metadata(metadata_, name).value_or("");
    }
    [[nodiscard]] std::optional<std::uint64_t> number(const char* name) const { return parse_u64(text(name)); }
    [[nodiscard]] std::optional<WallTime> time(const char* name) const { return parse_iso8601(text(name)); }

  private:
    const azure::Metadata& metadata_;
};

QueueTask read_fields(const azure::BlobProperties& properties) {
    QueueTask out;
    out.etag = properties.etag;
    if (!out.etag.starts_with('"')) out.etag = '"' + out.etag + '"';
    out.size = properties.content_length;
    out.lease_state = properties.lease.state;
    out.metadata = properties.metadata;
    const Fields fields(out.metadata);
    out.key = fields.text(kKey);
    out.claim = fields.text(kTaskClaimName);
    out.put = fields.time(kPut);
    if (!out.put) out.put = parse_http_date(properties.creation_time);
    out.due = fields.time(kDue);
    out.attempts = fields.number(kAttempts).value_or(0);
    out.deferred = fields.number(kDeferred).value_or(0);
    if (const auto code = fields.number(kExit); code && *code < 256) out.exit_code = static_cast<int>(*code);
    out.why = azure::decode_metadata_text(fields.text(kWhy));
    out.died = fields.time(kDied);
    out.error_tail = azure::decode_metadata_text(fields.text(kStderr));
    return out;
}

bool is_block_blob(const azure::BlobProperties& properties) {
    return properties.blob_type.empty() || properties.blob_type == "BlockBlob";
}

}  // namespace

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
        return fail(ErrorCode::usage, "'" + printable(address.to_string()) + "' does not name a queue",
                    "give it as CONTAINER/PREFIX");
    }
    if (!address.snapshot.empty()) return fail(ErrorCode::usage, "a snapshot cannot be a queue");
    if (auto ok = azure::check_blob_name(out.dead_letters() + "x"); !ok) return fail(ok.error());
    return out;
}

Status check_task_id(const std::string& id) {
    if (id.empty() || id.size() > kMaxId) {
        return fail(ErrorCode::usage, "a task's id must have 1 to " + std::to_string(kMaxId) + " bytes");
    }
    if (id.find('/') != std::string::npos) {
        return fail(ErrorCode::usage, "the id '" + printable(id) + "' contains a slash");
    }
    return azure::check_blob_name(id);
}

std::string new_task_id(WallTime now, unsigned sequence, Random& random) {
    const auto since_epoch = std::chrono::floor<milliseconds>(now.time_since_epoch());
    const std::time_t whole = std::chrono::floor<seconds>(since_epoch).count();
    std::tm parts{};
    gmtime_r(&whole, &parts);
    std::array<char, 64> text{};
    std::strftime(text.data(), text.size(), "%Y%m%dT%H%M%S", &parts);
    std::array<char, 64> rest{};
    std::snprintf(rest.data(), rest.size(), ".%03dZ-%04u-%08x", static_cast<int>(since_epoch.count() % 1000),
                  sequence % 10'000, static_cast<unsigned>(random.next() & 0xFFFF'FFFFU));
    return std::string(text.data()) + rest.data();
}

std::string new_task_key(Random& random) {
    std::array<char, 20> text{};
    std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(random.next()));
    return text.data();
}

std::optional<QueueTask> read_task(const QueueName& queue, const std::string& blob_name,
                                   const azure::BlobProperties& properties) {
    if (!blob_name.starts_with(queue.tasks()) || !is_block_blob(properties)) return std::nullopt;
    const std::string name = blob_name.substr(queue.tasks().size());
    if (name.size() < 3 || name[0] < '0' || name[0] > '9' || name[1] != '-') return std::nullopt;
    if (name.find('/') != std::string::npos) return std::nullopt;
    QueueTask out = read_fields(properties);
    out.priority = name[0] - '0';
    out.id = name.substr(2);
    out.blob = {queue.container, blob_name, {}};
    return out;
}

std::optional<QueueTask> read_dead_letter(const QueueName& queue, const std::string& blob_name,
                                          const azure::BlobProperties& properties) {
    if (!blob_name.starts_with(queue.dead_letters()) || !is_block_blob(properties)) return std::nullopt;
    const std::string name = blob_name.substr(queue.dead_letters().size());
    if (name.empty() || name.find('/') != std::string::npos) return std::nullopt;
    QueueTask out = read_fields(properties);
    const auto priority = Fields(out.metadata).number(kPriority);
    if (priority && *priority <= kLeastUrgent) out.priority = static_cast<int>(*priority);
    out.id = name;
    out.blob = {queue.container, blob_name, {}};
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
    if (task.exit_code) out[kExit] = std::to_string(*task.exit_code);
    text(kWhy, azure::encode_metadata_text(task.why, kMaxWhy));
    if (task.died) {
        time(kDied, task.died);
        out[kPriority] = std::to_string(task.priority);
        text(kStderr, azure::encode_metadata_tail(task.error_tail, kMaxStderr));
    }
    return out;
}

std::string_view to_string(TaskState state) {
    switch (state) {
        case TaskState::ready: return "ready";
        case TaskState::delayed: return "delayed";
        case TaskState::running: return "running";
        case TaskState::dead: return "dead";
    }
    return "?";
}

TaskState state_of(const QueueTask& task, WallTime now) {
    if (task.died) return TaskState::dead;
    if (task.lease_state == "leased" || task.lease_state == "breaking") return TaskState::running;
    return task.due && *task.due > now ? TaskState::delayed : TaskState::ready;
}

}  // namespace azlock::ops
