// What a user asks of a compare-and-swap update: where the new content comes from, and the options made from the
// wishes.
#pragma once

#include "ops/cas/options.hpp"
#include "ops/cas/transform_command.hpp"

namespace azlock::ops {

// The exit code of a command that means: leave the blob as it is.
inline constexpr int kSkipCode = 80;

struct CasRequest {
    // One of these.
    CommandOptions command;  // no argv: none. No skip_code: kSkipCode
    std::string from;        // a file, as the patches
    std::string add;
    std::string merge_patch;
    std::string json_patch;
    std::optional<std::string> append_line;

    CasOptions options;   // what needs no rule
    std::string initial;  // a file: what a missing blob starts from. Empty: nothing
    std::optional<std::uint64_t> max_size = 64 * 1024 * 1024;
    std::optional<std::chrono::milliseconds> wait;
};

// Returns the content of a file ("-": standard input) that has at most `max_size` bytes.
using ReadFile = std::function<Result<std::string>(const std::string& file, std::uint64_t max_size)>;

// Without --max-tries and --wait there are 20 tries. Errors: usage (not exactly one source, too large a limit), and
// those of `read`.
[[nodiscard]] Result<CasOptions> make_cas_options(const CasRequest& request, const ReadFile& read);

// For a request without a command. Errors: usage, data, and those of `read`.
[[nodiscard]] Result<CasTransform> make_transform(const CasRequest& request, const ReadFile& read);

}  // namespace azlock::ops
