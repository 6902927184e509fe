#include "ops/lease/quarantine_mark.hpp"

#include "azure/metadata.hpp"
#include "base/encoding.hpp"
#include "base/http_date.hpp"
#include "base/text.hpp"

namespace azlock::ops {
namespace {

std::optional<std::string> decoded(std::string_view part) {
    auto text = percent_decode(part);
    return text && is_utf8(*text) ? text : std::nullopt;
}

}  // namespace

azure::Metadata with_quarantine_mark(const azure::Metadata& present, const Quarantine& quarantine) {
    azure::Metadata out = present;
    azure::erase_metadata(out, kQuarantineMark);
    OwnerRecord by = read_owner_record(with_owner_record({}, quarantine.by));  // long texts are cut
    by.fence.reset();                                                          // it has none yet
    out[kQuarantineMark] =
        identity_of(read_owner_record(present)) + "/" + format_iso8601(quarantine.until) + "/" + identity_of(by);
    return out;
}

std::optional<Quarantine> read_quarantine_mark(const azure::Metadata& metadata) {
    const std::string mark = azure::find_metadata(metadata, kQuarantineMark).value_or("");
    const std::string beside = identity_of(read_owner_record(metadata)) + "/";
    if (!mark.starts_with(beside)) return std::nullopt;
    const auto parts = split(std::string_view(mark).substr(beside.size()), '/');
    if (parts.size() != 6) return std::nullopt;
    const auto until = parse_iso8601(parts[0]);
    const auto owner = decoded(parts[3]);
    const auto host = decoded(parts[4]);
    if (!until || !owner || !host) return std::nullopt;
    Quarantine out{{}, *until};
    out.by.since = parse_iso8601(parts[2]);
    out.by.owner = *owner;
    out.by.host = *host;
    out.by.pid = parse_u64(parts[5]);
    return out;
}

}  // namespace azlock::ops
