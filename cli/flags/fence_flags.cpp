#include "cli/flags/fence_flags.hpp"

#include "cli/settings/read_input.hpp"

namespace azlock::cli {
namespace {

// The parser's value for a flag without '='.
constexpr const char* kNoNumber = "true";

}  // namespace

void add_fence_flags(Parser& command, FenceFlags& flags) {
    command
        .add_flag("--fence", flags.token,
                  "Only if no later holder of the lock has written the blob; N is the fencing token (default: "
                  "AZLOCK_FENCE)")
        ->type_name("N")
        ->group("Conditions");
    command.add_option("--fence-by", flags.by, "The lock that gave the token of --fence (default: AZLOCK_URL)")
        ->type_name("URL")
        ->group("Conditions");
}

Result<std::optional<ops::Fence>> read_fence_flags(const FenceFlags& flags) {
    return ops::make_fence({!flags.token.empty(), flags.token == kNoNumber ? std::string() : flags.token, flags.by,
                            environment("AZLOCK_URL"), environment("AZLOCK_FENCE")});
}

}  // namespace azlock::cli
