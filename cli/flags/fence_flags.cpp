#include "cli/flags/fence_flags.hpp"

#include "azure/names.hpp"
#include "base/text.hpp"
#include "cli/settings/read_input.hpp"

namespace azlock::cli {
namespace {

constexpr const char* kUnderLock = "use it in a command that 'azlock lock' runs, or give --fence=N --fence-by URL";
// The parser's value for a flag without '='.
constexpr const char* kNoNumber = "true";

}  // namespace

void add_fence_flags(Parser& command, FenceFlags& flags) {
    command
        .add_flag("--fence", flags.token,
                  "Only if no later holder of the lock has written the blob; N is the fencing token (default: "
                  "AZLOCK_FENCE)")
        ->option_text("[=N]")
        ->group("Conditions");
    command.add_option("--fence-by", flags.by, "The lock that gave the token of --fence (default: AZLOCK_URL)")
        ->type_name("URL")
        ->group("Conditions");
}

Result<std::optional<ops::Fence>> read_fence_flags(const FenceFlags& flags) {
    if (flags.token.empty()) {
        if (flags.by.empty()) return std::nullopt;
        return fail(ErrorCode::usage, "--fence-by goes with --fence");
    }
    const std::string url = environment("AZLOCK_URL");
    const std::string inherited = environment("AZLOCK_FENCE");
    const bool number_given = flags.token != kNoNumber;
    // With slots, a token is compared only within its slot: it does not tell which of two holders is later.
    if (!url.empty() && inherited.empty() && (!number_given || flags.by.empty())) {
        return fail(ErrorCode::usage, "--fence: the lock that this runs under has slots, and so no fencing token",
                    "use a lock without --slots, or give --fence=N --fence-by URL");
    }
    const std::string& text = number_given ? flags.token : inherited;
    if (text.empty()) return fail(ErrorCode::usage, "--fence: AZLOCK_FENCE is not set", kUnderLock);
    const auto token = parse_u64(text);
    if (!token) {
        return fail(ErrorCode::usage, "--fence: '" + printable(text) + "' is not a number", "write it as --fence=N");
    }
    const std::string& by = flags.by.empty() ? url : flags.by;
    if (by.empty()) {
        return fail(ErrorCode::usage, "--fence: it is not known which lock gave the token: AZLOCK_URL is not set",
                    kUnderLock);
    }
    if (auto ok = azure::check_metadata_value("azl_fence_by", by); !ok) return fail(ok.error());
    return ops::Fence{*token, by};
}

}  // namespace azlock::cli
