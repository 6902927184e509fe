#include "cli/commands/lease/lease_flags.hpp"

#include <cstdlib>

#include "azure/names.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"
#include "ops/lease/acquire.hpp"

namespace azlock::cli {

Option* add_lease_target(Parser& command, std::string& target) {
    return command.add_option("TARGET", target, "CONTAINER[/BLOB], az://... or URL")->required();
}

Result<Opened> open_leasable(Context& context, const std::string& target) {
    auto opened = context.open(target);
    if (!opened) return opened;
    if (auto ok = opened->must_not_be_snapshot("leased"); !ok) return fail(ok.error());
    return opened;
}

void add_holder_id(Parser& command, std::string& lease_id) {
    command.add_option("--lease-id", lease_id, "The holder's lease id (AZLOCK_LEASE_ID)")->type_name("GUID");
}

Result<std::string> read_lease_id(const char* flag, const std::string& lease_id) {
    auto id = azure::canonical_lease_id(lease_id);
    if (!id) {
        Error error = id.error();
        error.message = std::string(flag) + ": " + error.message;
        return fail(std::move(error));
    }
    return id;
}

Result<std::string> read_holder_id(const std::string& lease_id) {
    if (!lease_id.empty()) return read_lease_id("--lease-id", lease_id);
    const char* inherited = std::getenv("AZLOCK_LEASE_ID");
    if (inherited == nullptr || *inherited == '\0') {
        return fail(ErrorCode::usage, "no lease id was given", "give --lease-id, or set AZLOCK_LEASE_ID");
    }
    return read_lease_id("AZLOCK_LEASE_ID", inherited);
}

Result<int> read_lease_duration(const std::string& text) {
    if (text == "infinite") return ops::kInfiniteLease;
    const auto span = parse_duration(text);
    if (!span || span->count() % 1000 != 0 || span->count() < 15'000 || span->count() > 60'000) {
        return fail(ErrorCode::usage, "--duration: '" + printable(text) + "' is not a possible lease duration",
                    "15 to 60 seconds (60, 60s, 1m), or infinite");
    }
    return static_cast<int>(span->count() / 1000);
}

}  // namespace azlock::cli
