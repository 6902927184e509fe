// `azlock cas-update BLOB -- COMMAND`: reads a blob, changes it and writes it back; if somebody else wrote meanwhile,
// it starts again.

#include "base/quantity.hpp"
#include "cli/commands/cas/cas_flags.hpp"
#include "cli/program/command.hpp"
#include "cli/settings/read_input.hpp"
#include "ops/cas/run.hpp"
#include "os/terminal.hpp"

namespace azlock::cli {
namespace {

using Outcome = ops::CasReport::Outcome;

std::string sentence(const ops::CasReport& report, bool verbose) {
    if (report.outcome == Outcome::skipped) return "left as it is, because the command's exit code said so";
    if (report.outcome == Outcome::unchanged) return "unchanged, nothing written";
    std::string out = std::string(report.created ? "created" : "updated") + ", " + format_bytes(report.bytes);
    if (!verbose && report.tries < 2) return out;
    out += " (" + format_count(static_cast<std::uint64_t>(report.tries), "try", "tries");
    if (report.turns > 0) out += ", " + std::to_string(report.turns) + " under a lease";
    return out + (report.recognised ? "; the answer was lost, but the blob has the new content)" : ")");
}

Json to_json(const std::string& target, const ops::CasReport& report, const char* outcome) {
    Json out;
    out["target"] = target;
    out["outcome"] = outcome;
    out["etag"] = or_null(report.etag);
    out["bytes"] = report.bytes;
    out["value"] = report.value;
    out["created"] = report.created;
    out["recognised"] = report.recognised;
    out["tries"] = report.tries;
    out["turns"] = report.turns;
    return out;
}

Json error_status(const std::string& target, const ops::CasEnd& end) {
    Json out;
    out["target"] = target;
    out["outcome"] = end.outcome;
    out["command_exit_code"] = end.command_exit_code ? Json(*end.command_exit_code) : Json();
    out["error"] = cli::error_json(end.report.error());
    return out;
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
    request->command.argv = context.command_line();
    // A command that uses the terminal, such as an editor, must be in its foreground process group.
    request->command.own_group = !os::Terminal().ours();
    request->command.stop_signal = [&context] { return context.signals().received(); };
    auto work = ops::prepare_cas(*request, read_content);
    if (!work) return fail(work.error());
    auto opened = context.open(flags.blob);
    if (!opened) return fail(opened.error());
    if (auto ok = opened->address.must_be_blob(); !ok) return ok;
    if (auto ok = opened->address.must_not_be_snapshot("written"); !ok) return ok;
    const std::string target = opened->address.to_string();
    work->options.tell = [&](const std::string& line) { context.output().notice(line); };
    if (context.verbose()) {
        work->options.lost_round = [&](const std::string& line) { context.output().notice(target + ": " + line); };
    }
    context.take_time_to_stop(ops::kCasStopTime);
    const BootTime start = context.clock().now();
    const auto end = ops::run_cas(opened->client(), opened->address, std::move(*work), context.call());
    if (!end.report) {
        if (end.exit_code) context.set_exit_code(*end.exit_code);
        if (auto ok = context.status_file().write(error_status(target, end)); !ok) {
            context.output().notice("the status file could not be written: " + ok.error().message);
        }
        return fail(end.report.error());
    }
    Json out = to_json(target, *end.report, end.outcome);
    out.update(context.costs(start));
    const Status noted = context.status_file().write(out);
    const Status told = tell(target, *end.report, out, context);
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
        "nothing is written, and the exit code is the command's, or 128+N if signal N killed it.\n");
    commands.take_command(cmd);
    commands.print_result(cmd);
    commands.add(cmd, [flags](Context& context) { return run(*flags, context); });
}

}  // namespace azlock::cli
