#include "cli/commands/cas/cas_flags.hpp"

#include "cli/flags/content_flags.hpp"
#include "cli/flags/flags.hpp"

namespace azlock::cli {
void add_cas_flags(Parser& command, CasFlags& flags) {
    ops::CasRequest& request = flags.request;
    command.add_option("BLOB", flags.blob, "CONTAINER/BLOB, az://... or URL")->required();
    const auto update = [](Option* option, const char* type) { option->type_name(type)->group("Update"); };
    update(command.add_option("--add", request.add, "Add to the integer that the blob holds, and print the sum"), "N");
    update(command.add_option("--from", request.from, "The new content, - for standard input"), "FILE");
    update(command.add_option("--append-line", request.append_line, "Add a line at the end")->may_be_empty(), "TEXT");
    update(
        command.add_option("--merge-patch", request.merge_patch, "JSON merge patch (RFC 7396), - for standard input"),
        "FILE");
    update(command.add_option("--json-patch", request.json_patch, "JSON patch (RFC 6902), - for standard input"),
           "FILE");
    command.add_flag("--create", request.options.create, "If the blob is missing, start from empty content")
        ->group("Update");
    update(command.add_option("--default", request.initial, "If the blob is missing, start from this file's content"),
           "FILE");
    command.add_flag("--touch", request.options.touch, "Write even if the content stays the same")->group("Update");
    add_size(command, "--max-size", request.max_size, "Largest content, old or new (default 64MiB)")->group("Update");

    const auto run = [](Option* option) { option->group("Command"); };
    run(command
            .add_option("--skip-code", request.command.skip_code,
                        "Exit code of the command that means: leave the blob as it is (default 80)")
            ->type_name("CODE")
            ->range(1, 255));
    run(add_duration(command, "--run-timeout", request.command.run_timeout,
                     "End each run after this time (exit code 124); 0: never"));

    const auto conflict = [](Option* option) { option->group("Conflicts"); };
    conflict(command
                 .add_option("--max-tries", request.options.max_tries,
                             "Give up after this many tries (default 20; with -w no limit)")
                 ->type_name("N")
                 ->range(1, 1'000'000));
    conflict(add_duration(command, "-w,--wait", request.wait,
                          "Try for this long, including waits for leases (default: wait one minute for each lease)"));
    conflict(command.add_flag("--no-lease-fallback", flags.no_lease_fallback,
                              "Never take a short lease on the blob, however often other writers are faster"));
    conflict(command.add_option("--if-match", request.options.if_match, "Update only this version (* for any)")
                 ->type_name("ETAG"));
    conflict(command.add_option("--lease-id", request.options.lease_id, "Lease id that the requests carry")
                 ->type_name("GUID"));

    add_fence_flags(command, flags.fence);

    add_content_flags(command, flags.content, "unchanged");
    // The program itself reads this value: it replaces the file before it knows whether the command line is right.
    command
        .add_value(
            "--status-file", [](const std::string&) { return Status(); }, "File for a JSON report of the result")
        ->type_name("FILE");
}

Result<ops::CasRequest> read_cas_flags(const CasFlags& flags) {
    ops::CasRequest out = flags.request;
    ops::CasOptions& options = out.options;
    ConditionFlags conditions;
    conditions.values.if_match = options.if_match;
    conditions.values.lease_id = options.lease_id;
    if (auto ok = read_conditions(conditions); !ok) return fail(ok.error());
    auto fence = read_fence_flags(flags.fence);
    if (!fence) return fail(fence.error());
    options.fence = std::move(*fence);
    options.take_turns = !flags.no_lease_fallback;
    if (auto ok = ops::take_content(flags.content, options.changes); !ok) return fail(ok.error());
    return out;
}

}  // namespace azlock::cli
