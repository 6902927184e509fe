#include "cli/commands/cas/cas_flags.hpp"

#include "base/text.hpp"
#include "cli/flags/flags.hpp"
#include "cli/flags/status_file_flag.hpp"
#include "cli/settings/read_input.hpp"
#include "ops/cas/transform_json.hpp"
#include "ops/cas/transform_text.hpp"

namespace azlock::cli {
namespace {

constexpr std::uint64_t kLargestContent = 4000ULL * 1024 * 1024;
constexpr int kDefaultTries = 20;

}  // namespace

void add_cas_flags(Parser& command, CasFlags& flags) {
    command.add_option("BLOB", flags.blob, "CONTAINER/BLOB, az://... or URL")->required();
    const auto update = [](Option* option, const char* type) { option->type_name(type)->group("Update"); };
    update(command.add_option("--add", flags.add, "Add to the integer that the blob holds, and print the sum"), "N");
    update(command.add_option("--from", flags.from, "The new content, - for standard input"), "FILE");
    update(command.add_option("--append-line", flags.append_line, "Add a line at the end")->may_be_empty(), "TEXT");
    update(command.add_option("--merge-patch", flags.merge_patch, "JSON merge patch (RFC 7396), - for standard input"),
           "FILE");
    update(command.add_option("--json-patch", flags.json_patch, "JSON patch (RFC 6902), - for standard input"), "FILE");
    command.add_flag("--create", flags.options.create, "If the blob is missing, start from empty content")
        ->group("Update");
    update(command.add_option("--default", flags.initial, "If the blob is missing, start from this file's content"),
           "FILE");
    command.add_flag("--touch", flags.options.touch, "Write even if the content stays the same")->group("Update");
    add_size(command, "--max-size", flags.max_size, "Largest content, old or new (default 64MiB)")->group("Update");

    const auto run = [](Option* option) { option->group("Command"); };
    run(command
            .add_option("--skip-code", flags.skip_code,
                        "Exit code of the command that means: leave the blob as it is (default 80)")
            ->type_name("CODE")
            ->range(1, 255));
    run(add_duration(command, "--run-timeout", flags.run_timeout, "End each run after this time (exit code 124)"));

    const auto conflict = [](Option* option) { option->group("Conflicts"); };
    conflict(command
                 .add_option("--max-tries", flags.options.max_tries,
                             "Give up after this many tries (default 20; with -w no limit)")
                 ->type_name("N")
                 ->range(1, 1'000'000));
    conflict(add_duration(command, "-w,--wait", flags.wait,
                          "Try for this long, including waits for leases (default: wait one minute for each lease)"));
    conflict(command.add_flag("--no-lease-fallback", flags.no_lease_fallback,
                              "Never take a short lease on the blob, however often other writers are faster"));
    conflict(command.add_option("--if-match", flags.options.if_match, "Update only this version (* for any)")
                 ->type_name("ETAG"));
    conflict(command.add_option("--lease-id", flags.options.lease_id, "Lease id that the requests carry")
                 ->type_name("GUID"));

    add_fence_flags(command, flags.fence);

    add_content_flags(command, flags.content, "unchanged");
    add_status_file_flag(command);
}

Result<ops::CasOptions> read_cas_options(const CasFlags& flags) {
    ops::CasOptions options = flags.options;
    ConditionFlags conditions;
    conditions.values.if_match = options.if_match;
    conditions.values.lease_id = options.lease_id;
    if (auto ok = read_conditions(conditions); !ok) return fail(ok.error());
    auto fence = read_fence_flags(flags.fence);
    if (!fence) return fail(fence.error());
    options.fence = std::move(*fence);
    options.max_size = *flags.max_size;
    if (options.max_size > kLargestContent) return fail(ErrorCode::usage, "--max-size: at most 4000MiB");
    if (!flags.initial.empty()) {
        options.create = true;
        auto initial = read_small_file(flags.initial, options.max_size, ErrorCode::data);
        if (!initial) return fail(initial.error());
        options.initial = std::move(*initial);
    }
    if (!options.max_tries && !flags.wait) options.max_tries = kDefaultTries;
    if (flags.wait) options.wait = *flags.wait;
    options.take_turns = !flags.no_lease_fallback;
    options.changes.content = flags.content.content;
    options.changes.access_tier = flags.content.access_tier;
    auto metadata = read_metadata(flags.content.metadata);
    if (!metadata) return fail(metadata.error());
    options.changes.metadata = std::move(*metadata);
    auto tags = read_tags(flags.content.tags);
    if (!tags) return fail(tags.error());
    options.changes.tags = std::move(*tags);
    return options;
}

Result<ops::CasTransform> read_transform(const CasFlags& flags) {
    if (!flags.add.empty()) {
        const auto amount = ops::parse_i64(flags.add);
        if (!amount) return fail(ErrorCode::usage, "--add: '" + printable(flags.add) + "' is not a 64-bit integer");
        return ops::add_integer(*amount);
    }
    if (flags.append_line) {
        if (flags.append_line->find_first_of("\r\n") != std::string::npos) {
            return fail(ErrorCode::usage, "--append-line takes one line, without its newline");
        }
        return ops::append_line(*flags.append_line);
    }
    const std::string& file = !flags.from.empty()          ? flags.from
                              : !flags.merge_patch.empty() ? flags.merge_patch
                                                           : flags.json_patch;
    auto text = read_small_file(file, *flags.max_size, ErrorCode::data);
    if (!text) return fail(text.error());
    const std::string name = file == "-" ? "standard input" : "'" + printable(file) + "'";
    if (!flags.merge_patch.empty()) return ops::merge_patch(*text, name);
    if (!flags.json_patch.empty()) return ops::json_patch(*text, name);
    return ops::replace_by(std::move(*text));
}

Status check_one_source(const CasFlags& flags, const std::vector<std::string>& command) {
    const int given = int(!flags.from.empty()) + int(!flags.add.empty()) + int(!flags.merge_patch.empty()) +
                      int(!flags.json_patch.empty()) + int(flags.append_line.has_value()) + int(!command.empty());
    if (given == 1 && (command.empty() || !command.front().empty())) return {};
    return fail(ErrorCode::usage,
                given > 1 ? "give only one way to make the new content" : "nothing says what to write",
                "azlock cas-update BLOB -- COMMAND, or --add, --from, --append-line, --merge-patch, --json-patch");
}

}  // namespace azlock::cli
