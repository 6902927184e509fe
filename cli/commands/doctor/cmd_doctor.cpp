// `azlock doctor [TARGET]`: why it does not work, or that it will.
#include <memory>

#include "base/secret.hpp"
#include "base/text.hpp"
#include "cli/commands/doctor/doctor.hpp"
#include "cli/output/exit_code.hpp"
#include "cli/program/command.hpp"

namespace azlock::cli {
namespace {

using Outcome = Check::Outcome;

const std::set<std::string> kPermissions{"read",           "list", "write", "lease", "delete", "create_container",
                                         "list_containers"};

struct Options {
    DoctorOptions doctor;
    std::string need;
};

const char* word_of(Outcome outcome) {
    switch (outcome) {
        case Outcome::ok: return "ok";
        case Outcome::warning: return "warning";
        case Outcome::failed: return "failed";
        case Outcome::skipped: return "skipped";
    }
    return "";
}

std::string padded(std::string text, std::size_t width) {
    text.resize(std::max(width, text.size() + 1), ' ');
    return text;
}

// A permission that was allowed carries the answer that showed it, which is no error.
Json error_of(const Check& check) {
    const bool wrong = check.outcome == Outcome::failed || check.outcome == Outcome::warning;
    return wrong && check.error ? error_json(*check.error) : Json(nullptr);
}

Status print_json(const Diagnosis& diagnosis, Output& output) {
    Json out;
    out["target"] = diagnosis.target.empty() ? Json(nullptr) : Json(diagnosis.target);
    out["endpoint"] = diagnosis.endpoint.empty() ? Json(nullptr) : Json(diagnosis.endpoint);
    out["ok"] = diagnosis.failure() == nullptr;
    out["clock_ahead_seconds"] = diagnosis.clock_skew ? Json(*diagnosis.clock_skew) : Json(nullptr);
    out["checks"] = Json::array();
    for (const Check& check : diagnosis.checks) {
        out["checks"].push_back({{"check", check.name},
                                 {"outcome", word_of(check.outcome)},
                                 {"detail", redact(printable(check.detail))},
                                 {"error", error_of(check)}});
    }
    return output.object(out);
}

Status print_table(const Diagnosis& diagnosis, Output& output) {
    for (const Check& check : diagnosis.checks) {
        const std::string line =
            padded(word_of(check.outcome), 9) + padded(check.name, 18) + redact(printable(check.detail));
        if (auto ok = output.line(line); !ok) return ok;
    }
    return {};
}

Status read_need(const std::string& text, std::set<std::string>& need) {
    if (text.empty()) return {};
    need.clear();
    for (const std::string_view word : split(text, ',')) {
        const std::string name(trim(word));
        if (!kPermissions.contains(name) && name != "none") {
            return fail(ErrorCode::usage, "--need: '" + printable(name) + "' is no permission",
                        "give some of read,list,write,lease,delete,create_container,list_containers, or none");
        }
        need.insert(name);
    }
    return {};
}

Status run(Options o, Context& context) {
    if (auto ok = read_need(o.need, o.doctor.need); !ok) return ok;
    if (o.doctor.write && o.doctor.target.empty()) return fail(ErrorCode::usage, "--write needs a TARGET");
    const auto diagnosis = diagnose(o.doctor, context);
    if (!diagnosis) return fail(diagnosis.error());
    Output& output = context.output();
    const Status printed = output.json() ? print_json(*diagnosis, output) : print_table(*diagnosis, output);
    if (!printed) return printed;
    const Check* failure = diagnosis->failure();
    if (failure == nullptr) return {};
    context.set_exit_code(exit_code(*failure->error, 0));
    if (!failure->error->hint.empty()) output.notice(failure->name + ": " + failure->error->hint);
    return {};
}

}  // namespace

void register_doctor(CLI::App& app, Commands& commands) {
    auto o = std::make_shared<Options>();
    CLI::App* cmd =
        app.add_subcommand("doctor", "Find out what works and what does not, from the name to each permission");
    cmd->add_option("TARGET", o->doctor.target, "CONTAINER[/BLOB], az://... or URL (default: the account)");
    cmd->add_flag("--write", o->doctor.write,
                  "Try write, read, lease and delete with a blob azlock-doctor-... in the container");
    cmd->add_option("--need", o->need,
                    "Permissions whose lack is a failure, with commas (default read,list,write,lease,delete)")
        ->type_name("LIST");
    cmd->footer(
        "Examples:\n"
        "  azlock doctor artifacts\n"
        "  azlock doctor artifacts --need read,list && echo ready\n"
        "  azlock doctor artifacts --write --json | jq '.checks[] | select(.outcome != \"ok\")'\n\n"
        "Without --write nothing is written: permissions are found out by requests that the service refuses for "
        "another\n"
        "reason. The exit code is that of the first check that failed.\n");
    commands.add(cmd, [o](Context& context) { return run(*o, context); });
}

}  // namespace azlock::cli
