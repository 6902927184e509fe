#include "ops/lease/foreign_record.hpp"

#include <nlohmann/json.hpp>

#include "base/encoding.hpp"
#include "base/http_date.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"

namespace azlock::ops {
namespace {

ForeignRecord read_terraform(const std::string& value) {
    ForeignRecord out;
    out.tool = "terraform";
    const auto raw = base64_decode(trim(value));
    if (!raw) return out;
    const auto* const begin = reinterpret_cast<const char*>(raw->data());
    const auto json = nlohmann::json::parse(begin, begin + raw->size(), nullptr, false);
    if (!json.is_object()) return out;
    const auto text = [&](const char* key) {
        const auto it = json.find(key);
        return it != json.end() && it->is_string() ? it->get<std::string>() : std::string();
    };
    out.lease_id = text("ID");
    out.who = text("Who");
    out.operation = text("Operation");
    out.version = text("Version");
    out.since = parse_iso8601(text("Created"));
    return out;
}

}  // namespace

std::optional<ForeignRecord> read_foreign_record(const azure::Metadata& metadata) {
    for (const auto& [name, value] : metadata) {
        if (iequals(name, "terraformlockid") && !trim(value).empty()) return read_terraform(value);
        if (iequals(name, "FunctionInstance") && !trim(value).empty()) {
            ForeignRecord out;
            out.tool = "webjobs";
            out.who = value;
            return out;
        }
    }
    return std::nullopt;
}

std::string describe_foreign(const ForeignRecord& record, std::optional<WallTime> now) {
    std::string out;
    if (record.tool == "webjobs") return "WebJobs or Functions: instance " + printable(record.who);
    out = "Terraform";
    if (record.lease_id.empty() && record.who.empty()) return out + " (its record cannot be read)";
    if (!record.version.empty()) out += " " + printable(record.version);
    out += ": " + (record.who.empty() ? "somebody" : printable(record.who));
    if (record.since && now && *now >= *record.since) {
        out += " for " + format_duration(std::chrono::floor<std::chrono::milliseconds>(*now - *record.since));
    } else if (record.since) {
        out += " since " + format_iso8601(*record.since);
    }
    if (!record.operation.empty()) out += ", " + printable(record.operation);
    return out;
}

}  // namespace azlock::ops
