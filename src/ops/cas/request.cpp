#include "ops/cas/request.hpp"

#include "base/text.hpp"
#include "ops/cas/transform_json.hpp"
#include "ops/cas/transform_text.hpp"

namespace azlock::ops {
namespace {

constexpr std::uint64_t kLargestContent = 4000ULL * 1024 * 1024;
constexpr int kDefaultTries = 20;

Status check_one_source(const CasRequest& request) {
    const int given = int(!request.from.empty()) + int(!request.add.empty()) + int(!request.merge_patch.empty()) +
                      int(!request.json_patch.empty()) + int(request.append_line.has_value()) +
                      int(!request.command.argv.empty());
    if (given == 1 && (request.command.argv.empty() || !request.command.argv.front().empty())) return {};
    return fail(ErrorCode::usage,
                given > 1 ? "give only one way to make the new content" : "nothing says what to write",
                "azlock cas-update BLOB -- COMMAND, or --add, --from, --append-line, --merge-patch, --json-patch");
}

}  // namespace

Result<CasOptions> make_cas_options(const CasRequest& request, const ReadFile& read) {
    if (auto ok = check_one_source(request); !ok) return fail(ok.error());
    CasOptions out = request.options;
    out.max_size = *request.max_size;
    if (out.max_size > kLargestContent) return fail(ErrorCode::usage, "--max-size: at most 4000MiB");
    if (!request.initial.empty()) {
        out.create = true;
        auto initial = read(request.initial, out.max_size);
        if (!initial) return fail(initial.error());
        out.initial = std::move(*initial);
    }
    out.wait = request.wait;
    if (!out.max_tries && !out.wait) out.max_tries = kDefaultTries;
    out.long_turns = !request.command.argv.empty();
    return out;
}

Result<CasTransform> make_transform(const CasRequest& request, const ReadFile& read) {
    if (!request.add.empty()) {
        const auto amount = parse_i64(request.add);
        if (!amount) return fail(ErrorCode::usage, "--add: " + in_quotes(request.add) + " is not a 64-bit integer");
        return add_integer(*amount);
    }
    if (request.append_line) {
        if (request.append_line->find_first_of("\r\n") != std::string::npos) {
            return fail(ErrorCode::usage, "--append-line takes one line, without its newline");
        }
        return append_line(*request.append_line);
    }
    const std::string& file = !request.from.empty()          ? request.from
                              : !request.merge_patch.empty() ? request.merge_patch
                                                             : request.json_patch;
    auto text = read(file, *request.max_size);
    if (!text) return fail(text.error());
    const std::string name = file == "-" ? "standard input" : in_quotes(file);
    if (!request.merge_patch.empty()) return merge_patch(*text, name);
    if (!request.json_patch.empty()) return json_patch(*text, name);
    return replace_by(std::move(*text));
}

}  // namespace azlock::ops
