#include "ops/lease/owner_record.hpp"

#include <algorithm>
#include <array>

#include "azure/metadata.hpp"
#include "azure/names.hpp"
#include "base/encoding.hpp"
#include "base/http_date.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"

namespace azlock::ops {
namespace {

using std::chrono::milliseconds;

constexpr std::string_view kPrefix = "azl_";
constexpr const char* kDead = "azl_dead";
// Names that start with azl_ but do not belong to a record: the write ring, the key of fenced data, the dead mark.
constexpr std::array<std::string_view, 3> kNotRecord{"azl_writes", "azl_fence_by", kDead};
constexpr std::string_view kOfTask = "azl_task_";
// These belong to the lock, not to its holder.
constexpr std::array<std::string_view, 2> kOfTheLock{"azl_fence", "azl_slots"};
// Fields that azlock itself fills in.
constexpr std::array<std::string_view, 9> kReserved{"fence", "since",    "ttl",  "renew_every", "kill_after",
                                                    "slots", "fence_by", "dead", "writes"};
constexpr milliseconds kLongest = std::chrono::seconds(60);
constexpr std::size_t kMaxText = 256;  // bytes of metadata
constexpr std::size_t kMaxRun = 1024;

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& names, std::string_view name) {
    return std::any_of(names.begin(), names.end(), [&](std::string_view n) { return iequals(n, name); });
}

bool is_record_name(std::string_view name) {
    return istarts_with(name, kPrefix) && name.size() > kPrefix.size() && !is_one_of(kNotRecord, name) &&
           !istarts_with(name, kOfTask);
}

std::string decode(const std::string& value) {
    std::string decoded = azure::decode_metadata_text(value);
    return is_utf8(decoded) ? decoded : value;
}

std::string duration_text(milliseconds span) {
    const bool whole = span.count() % 1000 == 0;
    return whole ? std::to_string(span.count() / 1000) + "s" : std::to_string(span.count()) + "ms";
}

class Reader {
  public:
    explicit Reader(OwnerRecord& out) : out_(out) {}

    void take(const std::string& name, const std::string& value) {
        if (name == "azl_fence") return number(name, value, out_.fence);
        if (name == "azl_pid") return number(name, value, out_.pid);
        if (name == "azl_slots") return number(name, value, out_.slots);
        if (name == "azl_ttl") return duration(name, value, out_.ttl);
        if (name == "azl_renew_every") return duration(name, value, out_.renew_every);
        if (name == "azl_kill_after") return duration(name, value, out_.kill_after);
        if (name == "azl_owner") return text(value, out_.owner);
        if (name == "azl_host") return text(value, out_.host);
        if (name == "azl_command") return text(value, out_.command);
        if (name == "azl_run") return text(value, out_.run);
        if (name != "azl_since") return text(value, out_.extra[name.substr(kPrefix.size())]);
        out_.since = parse_iso8601(value);
        if (!out_.since) out_.unreadable.insert(name);
    }

  private:
    static void text(const std::string& value, std::string& out) { out = decode(value); }
    void number(const std::string& name, const std::string& value, std::optional<std::uint64_t>& out) {
        out = parse_u64(trim(value));
        if (!out) out_.unreadable.insert(name);
    }
    void duration(const std::string& name, const std::string& value, std::optional<milliseconds>& out) {
        const auto span = parse_duration(trim(value));
        if (span && *span <= kLongest) {
            out = *span;
        } else {
            out_.unreadable.insert(name);
        }
    }

    OwnerRecord& out_;
};

// Identifies a record: the record of a later holder has another identity.
std::string identity(const OwnerRecord& record) {
    std::string out = record.fence ? std::to_string(*record.fence) : "-";
    out += "/" + (record.since ? format_iso8601(*record.since) : "-");
    out += "/" + percent_encode(record.owner) + "/" + percent_encode(record.host);
    out += "/" + (record.pid ? std::to_string(*record.pid) : "-");
    return out;
}

}  // namespace

bool OwnerRecord::empty() const {
    return owner.empty() && host.empty() && !pid && command.empty() && run.empty() && !since && extra.empty();
}

OwnerRecord read_owner_record(const azure::Metadata& metadata) {
    OwnerRecord out;
    Reader reader(out);
    for (const auto& [name, value] : metadata) {
        if (is_record_name(name)) reader.take(to_lower(name), value);
    }
    return out;
}

azure::Metadata with_owner_record(const azure::Metadata& present, const OwnerRecord& record) {
    azure::Metadata out = present;
    std::erase_if(out, [](const auto& pair) {
        const std::string& name = pair.first;
        return iequals(name, kDead) || (is_record_name(name) && !is_one_of(kOfTheLock, name));
    });
    const auto set = [&](const std::string& name, const std::string& value) {
        if (value.empty()) return;
        azure::erase_metadata(out, name);
        out[name] = value;
    };
    const auto number = [&](const char* name, const std::optional<std::uint64_t>& value) {
        if (value) set(name, std::to_string(*value));
    };
    const auto duration = [&](const char* name, const std::optional<milliseconds>& value) {
        if (value) set(name, duration_text(*value));
    };
    number("azl_fence", record.fence);
    set("azl_owner", azure::encode_metadata_text(record.owner, kMaxText));
    set("azl_host", azure::encode_metadata_text(record.host, kMaxText));
    number("azl_pid", record.pid);
    set("azl_command", azure::encode_metadata_text(record.command, kMaxText));
    set("azl_run", azure::encode_metadata_text(record.run, kMaxRun));
    if (record.since) set("azl_since", format_iso8601(*record.since));
    duration("azl_ttl", record.ttl);
    duration("azl_renew_every", record.renew_every);
    duration("azl_kill_after", record.kill_after);
    number("azl_slots", record.slots);
    for (const auto& [key, value] : record.extra)
        set(std::string(kPrefix) + key, azure::encode_metadata_text(value, kMaxText));
    return out;
}

azure::Metadata with_dead_mark(const azure::Metadata& present) {
    azure::Metadata out = present;
    const OwnerRecord record = read_owner_record(present);
    azure::erase_metadata(out, kDead);
    if (!record.empty()) out[kDead] = identity(record);
    return out;
}

bool holder_is_dead(const azure::Metadata& metadata) {
    const OwnerRecord record = read_owner_record(metadata);
    if (record.empty()) return false;
    return std::any_of(metadata.begin(), metadata.end(),
                       [&](const auto& pair) { return iequals(pair.first, kDead) && pair.second == identity(record); });
}

std::string describe_owner(const OwnerRecord& record, std::optional<WallTime> now) {
    if (record.empty()) return "somebody who left no record";
    std::string out = record.owner.empty() ? "somebody" : printable(record.owner);
    if (!record.host.empty()) out += "@" + printable(record.host);
    if (record.pid) out += " pid " + std::to_string(*record.pid);
    if (record.since && now && *now >= *record.since) {
        out += " for " + format_duration(std::chrono::floor<milliseconds>(*now - *record.since));
    } else if (record.since) {
        out += " since " + format_iso8601(*record.since);
    }
    if (!record.command.empty()) out += ", command " + printable(record.command);
    if (!record.run.empty()) out += ", run " + printable(record.run);
    for (const auto& [key, value] : record.extra) out += ", " + printable(key) + " " + printable(value);
    return out;
}

std::optional<std::string> owner_field(const OwnerRecord& record, std::string_view key) {
    const std::string name = to_lower(key);
    const auto text = [](const std::string& value) { return value.empty() ? std::nullopt : std::optional(value); };
    const auto number = [](const std::optional<std::uint64_t>& value) {
        return value ? std::optional(std::to_string(*value)) : std::nullopt;
    };
    if (name == "owner") return text(record.owner);
    if (name == "host") return text(record.host);
    if (name == "pid") return number(record.pid);
    if (name == "command") return text(record.command);
    if (name == "run") return text(record.run);
    if (name == "fence") return number(record.fence);
    const auto it = record.extra.find(name);
    return it == record.extra.end() ? std::nullopt : std::optional(it->second);
}

Status set_owner_field(OwnerRecord& record, std::string_view key, const std::string& value) {
    const std::string name = to_lower(key);
    if (name.empty()) return fail(ErrorCode::usage, "a field of the owner record needs a name");
    if (auto ok = azure::check_metadata_name(std::string(kPrefix) + name); !ok) return ok;
    if (is_one_of(kReserved, name)) return fail(ErrorCode::usage, "'" + name + "' is a field that azlock fills in");
    if (!is_utf8(value)) return fail(ErrorCode::usage, "the value of '" + name + "' is not UTF-8");
    if (name == "pid") {
        const auto number = parse_u64(value);
        if (!number) return fail(ErrorCode::usage, "'pid' must be a number, not '" + printable(value) + "'");
        record.pid = number;
    } else if (name == "owner") {
        record.owner = value;
    } else if (name == "host") {
        record.host = value;
    } else if (name == "command") {
        record.command = value;
    } else if (name == "run") {
        record.run = value;
    } else {
        record.extra[name] = value;
    }
    return {};
}

}  // namespace azlock::ops
