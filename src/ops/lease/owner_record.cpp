#include "ops/lease/owner_record.hpp"

#include <algorithm>
#include <array>

#include "azure/metadata.hpp"
#include "azure/names.hpp"
#include "base/encoding.hpp"
#include "base/http_date.hpp"
#include "base/name_value.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"

namespace azlock::ops {
namespace {

using std::chrono::milliseconds;

constexpr std::string_view kPrefix = "azl_";
constexpr const char* kDead = "azl_dead";
constexpr const char* kEnded = "azl_ended";
constexpr std::array<std::string_view, 3> kMarks{kDead, kEnded, kQuarantineMark};
// Other names that start with azl_ but do not belong to a record: the write ring, the key of fenced data.
constexpr std::array<std::string_view, 2> kNotRecord{"azl_writes", "azl_fence_by"};
constexpr std::string_view kOfTask = "azl_task_";
// These belong to the lock, not to its holder.
constexpr std::array<std::string_view, 2> kOfTheLock{"azl_fence", "azl_slots"};
// Fields that azlock itself fills in.
constexpr std::array<std::string_view, 12> kReserved{"former",      "fence",      "since",      "ttl",
                                                     "renew_every", "kill_after", "slots",      "fence_by",
                                                     "dead",        "ended",      "quarantine", "writes"};
constexpr milliseconds kLongest = std::chrono::seconds(60);
constexpr std::size_t kMaxText = 256;  // bytes of metadata

// Fields of one type, by their names without the prefix.
template <typename T>
struct Field {
    std::string_view name;
    T OwnerRecord::*member;
    std::size_t most = kMaxText;
};
constexpr std::array<Field<std::string>, 4> kTexts{{{"owner", &OwnerRecord::owner},
                                                    {"host", &OwnerRecord::host},
                                                    {"command", &OwnerRecord::command},
                                                    {"run", &OwnerRecord::run, 1024}}};
constexpr std::array<Field<std::optional<std::uint64_t>>, 4> kNumbers{{{"fence", &OwnerRecord::fence},
                                                                       {"pid", &OwnerRecord::pid},
                                                                       {"slots", &OwnerRecord::slots},
                                                                       {"former", &OwnerRecord::former}}};
constexpr std::array<Field<std::optional<milliseconds>>, 3> kDurations{
    {{"ttl", &OwnerRecord::ttl}, {"renew_every", &OwnerRecord::renew_every}, {"kill_after", &OwnerRecord::kill_after}}};

// Null if there is no such field.
template <typename Fields>
const typename Fields::value_type* find(const Fields& fields, std::string_view name) {
    const auto it = std::find_if(fields.begin(), fields.end(), [&](const auto& field) { return field.name == name; });
    return it == fields.end() ? nullptr : &*it;
}

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& names, std::string_view name) {
    return std::any_of(names.begin(), names.end(), [&](std::string_view n) { return iequals(n, name); });
}

bool is_record_name(std::string_view name) {
    return istarts_with(name, kPrefix) && name.size() > kPrefix.size() && !is_one_of(kNotRecord, name) &&
           !is_one_of(kMarks, name) && !istarts_with(name, kOfTask);
}

std::string decode(const std::string& value) {
    std::string decoded = azure::decode_metadata_text(value);
    return is_utf8(decoded) ? decoded : value;
}

std::string duration_text(milliseconds span) {
    const bool whole = span.count() % 1000 == 0;
    return whole ? std::to_string(span.count() / 1000) + "s" : std::to_string(span.count()) + "ms";
}

// False: the value cannot be read.
bool read_field(OwnerRecord& out, const std::string& name, const std::string& value) {
    if (const auto* text = find(kTexts, name)) {
        out.*(text->member) = decode(value);
    } else if (const auto* number = find(kNumbers, name)) {
        return (out.*(number->member) = parse_u64(trim(value))).has_value();
    } else if (const auto* duration = find(kDurations, name)) {
        const auto span = parse_duration(trim(value));
        if (!span || *span > kLongest) return false;
        out.*(duration->member) = *span;
    } else if (name == "since") {
        return (out.since = parse_iso8601(value)).has_value();
    } else {
        out.extra[name] = decode(value);
    }
    return true;
}

azure::Metadata with_mark(const azure::Metadata& present, const char* mark) {
    azure::Metadata out = present;
    const OwnerRecord record = read_owner_record(present);
    azure::erase_metadata(out, mark);
    azure::erase_metadata(out, kQuarantineMark);  // nobody waits for that holder any more
    if (!record.empty()) out[mark] = identity_of(record);
    return out;
}

bool is_marked(const azure::Metadata& metadata, const char* mark) {
    const OwnerRecord record = read_owner_record(metadata);
    return !record.empty() && azure::find_metadata(metadata, mark) == identity_of(record);
}

}  // namespace

std::string identity_of(const OwnerRecord& record) {
    std::string out = record.fence ? std::to_string(*record.fence) : "-";
    out += "/" + (record.since ? format_iso8601(*record.since) : "-");
    out += "/" + percent_encode(record.owner) + "/" + percent_encode(record.host);
    out += "/" + (record.pid ? std::to_string(*record.pid) : "-");
    return out;
}

bool OwnerRecord::empty() const {
    return owner.empty() && host.empty() && !pid && command.empty() && run.empty() && !since && extra.empty();
}

OwnerRecord read_owner_record(const azure::Metadata& metadata) {
    OwnerRecord out;
    for (const auto& [given, value] : metadata) {
        if (!is_record_name(given)) continue;
        const std::string name = to_lower(given);
        if (!read_field(out, name.substr(kPrefix.size()), value)) out.unreadable.insert(name);
    }
    return out;
}

azure::Metadata with_owner_record(const azure::Metadata& present, const OwnerRecord& record) {
    azure::Metadata out = present;
    std::erase_if(out, [](const auto& pair) {
        const std::string& name = pair.first;
        return is_one_of(kMarks, name) || (is_record_name(name) && !is_one_of(kOfTheLock, name));
    });
    const auto set = [&](std::string_view key, const std::string& value) {
        if (value.empty()) return;
        const std::string name = std::string(kPrefix) + std::string(key);
        azure::erase_metadata(out, name);
        out[name] = value;
    };
    for (const auto& text : kTexts) set(text.name, azure::encode_metadata_text(record.*(text.member), text.most));
    for (const auto& number : kNumbers) {
        if (const auto& value = record.*(number.member)) set(number.name, std::to_string(*value));
    }
    for (const auto& duration : kDurations) {
        if (const auto& span = record.*(duration.member)) set(duration.name, duration_text(*span));
    }
    if (record.since) set("since", format_iso8601(*record.since));
    for (const auto& [key, value] : record.extra) set(key, azure::encode_metadata_text(value, kMaxText));
    return out;
}

azure::Metadata with_dead_mark(const azure::Metadata& present) {
    // Only the times of a former holder are there: without them nobody waits for it.
    if (read_owner_record(present).empty() && command_may_run(present)) return with_owner_record(present, {});
    return with_mark(present, kDead);
}

azure::Metadata with_ended_mark(const azure::Metadata& present) {
    return with_mark(present, kEnded);
}

bool holder_is_dead(const azure::Metadata& metadata) {
    return is_marked(metadata, kDead);
}

bool command_may_run(const azure::Metadata& metadata) {
    return read_owner_record(metadata).kill_after && !record_is_over(metadata);
}

bool record_is_over(const azure::Metadata& metadata) {
    return is_marked(metadata, kDead) || is_marked(metadata, kEnded);
}

OwnerRecord with_former_times(OwnerRecord record, const azure::Metadata& present) {
    if (!command_may_run(present)) return record;
    const OwnerRecord former = read_owner_record(present);
    record.ttl = former.ttl;
    record.renew_every = former.renew_every;
    record.kill_after = former.kill_after;
    record.former = 1;
    return record;
}

bool same_holder(const azure::Metadata& a, const azure::Metadata& b) {
    return identity_of(read_owner_record(a)) == identity_of(read_owner_record(b));
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
    if (const auto* text = find(kTexts, name)) {
        const std::string& value = record.*(text->member);
        return value.empty() ? std::nullopt : std::optional(value);
    }
    if (name == "pid" || name == "fence") {
        const auto& value = name == "pid" ? record.pid : record.fence;
        return value ? std::optional(std::to_string(*value)) : std::nullopt;
    }
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
        record.pid = parse_u64(value);
        if (!record.pid) return fail(ErrorCode::usage, "'pid' must be a number, not " + in_quotes(value));
    } else if (const auto* text = find(kTexts, name)) {
        record.*(text->member) = value;
    } else {
        record.extra[name] = value;
    }
    return {};
}

Status set_owner_fields(OwnerRecord& record, const std::vector<std::string>& pairs) {
    for (const std::string& pair : pairs) {
        const auto field = read_pair("--owner", pair, "KEY=VALUE");
        if (!field) return fail(field.error());
        if (auto set = set_owner_field(record, field->first, field->second); !set) {
            Error error = set.error();
            error.message = "--owner: " + error.message;
            return fail(std::move(error));
        }
    }
    return {};
}

}  // namespace azlock::ops
