// `azlock cas-update BLOB -- COMMAND`: reads a blob, changes it and writes it back; if somebody else wrote meanwhile,
// it starts again.

#include "base/quantity.hpp"
#include "base/text.hpp"
#include "cli/commands/cas/cas_flags.hpp"
#include "cli/program/command.hpp"
#include "cli/settings/read_input.hpp"
#include "ops/cas/transform_command.hpp"
#include "ops/cas/update.hpp"
#include "ops/files/content_type.hpp"
#include "os/terminal.hpp"

namespace azlock::cli {
namespace {

using Outcome = ops::CasReport::Outcome;

// After a signal: time to stop the command and to release a lease.
constexpr std::chrono::seconds kTimeToStop{9};

const char* word_for(Outcome outcome) {
    switch (outcome) {
        case Outcome::written: return "written";
        case Outcome::unchanged: return "unchanged";
        case Outcome::skipped: return "skipped";
    }
    return "";
}

std::string sentence(const ops::CasReport& report, bool verbose) {
    if (report.outcome == Outcome::skipped) return "left as it is, because the command's exit code said so";
    if (report.outcome == Outcome::unchanged) return "unchanged, nothing written";
    std::string out = std::string(report.created ? "created" : "updated") + ", " + format_bytes(report.bytes);
    if (!verbose && report.tries < 2) return out;
    out += " (" + std::to_string(report.tries) + (report.tries == 1 ? " try" : " tries");
    if (report.turns > 0) out += ", " + std::to_string(report.turns) + " under a lease";
    return out + (report.recognised ? "; the answer was lost, but the blob has the new content)" : ")");
}

Json to_json(const std::string& target, const ops::CasReport& report) {
    Json out;
    out["target"] = target;
    out["outcome"] = word_for(report.outcome);
    out["etag"] = or_null(report.etag);
    out["bytes"] = report.bytes;
    out["value"] = report.value;
    out["created"] = report.created;
    out["recognised"] = report.recognised;
    out["tries"] = report.tries;
    out["turns"] = report.turns;
    return out;
}

const char* word_for(const std::optional<ops::CommandFailure>& failure) {
    if (!failure) return "error";
    switch (failure->kind) {
        case ops::CommandFailure::Kind::not_started: return "not_started";
        case ops::CommandFailure::Kind::failed: return "command_failed";
        case ops::CommandFailure::Kind::timed_out: return "timeout";
    }
    return "";
}

Json error_status(const std::string& target, const Error& error, const std::optional<ops::CommandFailure>& failure) {
    Json out;
    out["target"] = target;
    out["outcome"] = word_for(failure);
    const bool ended = failure && failure->kind == ops::CommandFailure::Kind::failed;
    out["command_exit_code"] = ended ? Json(failure->exit_code) : Json();
    out["error"] = cli::error_json(error);
    return out;
}

ops::CommandTransform command_transform(const CasFlags& flags, const ops::CasOptions& update, const std::string& blob,
                                        Context& context) {
    ops::CommandOptions options;
    options.argv = context.command_line();
    options.blob = blob;
    options.max_size = update.max_size;
    options.skip_code = flags.skip_code;
    options.run_timeout = flags.run_timeout;
    // A command that uses the terminal, such as an editor, must be in its foreground process group.
    options.own_group = !os::Terminal().ours();
    options.stop_signal = [&context] { return context.signals().received(); };
    return {std::move(options), context.clock()};
}

Status tell(const std::string& target, const ops::CasReport& report, const Json& json, Context& context) {
    Output& output = context.output();
    if (output.json()) return output.object(json);
    if (!report.value || context.verbose()) output.notice(target + ": " + sentence(report, context.verbose()));
    if (report.value) return output.line(std::to_string(*report.value));
    if (report.etag.empty() && report.outcome != Outcome::written) return {};
    return output.etag(report.etag);
}

Result<std::string> read_content(const std::string& file, std::uint64_t max_size) {
    return read_small_file(file, max_size, ErrorCode::data);
}

Status run(const CasFlags& flags, Context& context) {
    auto request = read_cas_flags(flags);
    if (!request) return fail(request.error());
    request->command = context.command_line();
    auto options = ops::make_cas_options(*request, read_content);
    if (!options) return fail(options.error());
    auto opened = context.open(flags.blob);
    if (!opened) return fail(opened.error());
    const azure::BlobAddress& address = opened->address;
    if (auto ok = opened->must_be_blob(); !ok) return ok;
    if (auto ok = opened->must_not_be_snapshot("written"); !ok) return ok;
    const std::string target = address.to_string();
    if (options->create) ops::fill_content_type(options->content_type, address.blob);
    options->tell = [&](const std::string& line) { context.output().notice(line); };
    if (context.verbose()) {
        options->lost_round = [&](const std::string& line) { context.output().notice(target + ": " + line); };
    }

    std::optional<ops::CommandTransform> command;
    Result<ops::CasTransform> transform;
    if (request->command.empty()) {
        transform = ops::make_transform(*request, read_content);
        if (!transform) return fail(transform.error());
    } else {
        command.emplace(command_transform(flags, *options, target, context));
        transform = [&](const ops::CasInput& input, const azure::Call& call) { return command->run(input, call); };
    }
    context.take_time_to_stop(kTimeToStop);
    const BootTime start = context.clock().now();
    const auto report = ops::cas_update(opened->client(), address, *transform, *options, context.call());
    if (!report) {
        const auto failure = command ? command->failure() : std::nullopt;
        if (failure) context.set_exit_code(failure->exit_code);
        if (auto ok = context.status_file().write(error_status(target, report.error(), failure)); !ok) {
            context.output().notice("the status file could not be written: " + ok.error().message);
        }
        return fail(report.error());
    }
    Json out = to_json(target, *report);
    out["requests"] = context.wire().requests();
    out["retries"] = context.wire().retries();
    out["seconds"] = std::chrono::duration<double>(context.clock().now() - start).count();
    const Status noted = context.status_file().write(out);
    const Status told = tell(target, *report, out, context);
    return told ? noted : told;
}

}  // namespace

void register_cas_update(Parser& app, Commands& commands) {
    auto flags = std::make_shared<CasFlags>();
    Parser* cmd = app.add_subcommand("cas-update", "Change a blob that others change too, without losing an update");
    add_cas_flags(*cmd, *flags);
    cmd->footer(
        "Examples:\n"
        "  azlock cas-update state/config.json -- jq '.replicas += 1'\n"
        "  n=$(azlock cas-update counters/builds --create --add 1)\n"
        "  azlock cas-update state/config.json --merge-patch patch.json -w 30s\n"
        "  azlock cas-update state/hosts --create --append-line \"$(hostname)\"\n\n"
        "The command reads the old content from standard input and writes the new one to standard output.\n"
        "AZLOCK_ETAG, AZLOCK_ATTEMPT and AZLOCK_BLOB are in its environment. If somebody else was faster, it runs\n"
        "again on what they wrote. azlock prints the new ETag or, with --add, the sum.\n\n"
        "The exit code is 0 if the new content is in the blob, or if nothing had to be written. If the command fails,\n"
        "nothing is written, and the exit code is the command's, or 128+N if signal N killed it. Also:\n"
        "  124  --run-timeout    126  the command cannot be executed    127  it was not found\n");
    commands.take_command(cmd);
    commands.print_result(cmd);
    commands.add(cmd, [flags](Context& context) { return run(*flags, context); });
}

}  // namespace azlock::cli
