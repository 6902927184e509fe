// `azlock doctor [TARGET]`: finds out what works, what does not, and why.
#include <memory>

#include "base/http_date.hpp"
#include "base/secret.hpp"
#include "base/text.hpp"
#include "cli/output/exit_code.hpp"
#include "cli/program/command.hpp"
#include "cli/settings/transport_settings.hpp"
#include "ops/doctor/diagnose.hpp"

namespace azlock::cli {
namespace {

using Outcome = ops::Check::Outcome;
using ops::Check;
using ops::Diagnosis;

struct Options {
    ops::DoctorOptions doctor;
    std::string target;
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

// An allowed permission can carry the refusal that proved it; do not report that as an error.
Json error_of(const Check& check) {
    const bool wrong = check.outcome == Outcome::failed || check.outcome == Outcome::warning;
    return wrong && check.error ? error_json(*check.error) : Json();
}

Json to_json(const azure::SasTerms& sas) {
    return {{"kind", azure::describe_kind(sas)},
            {"permissions", or_null(printable(sas.permissions))},
            {"resource_types", or_null(printable(sas.resource_types))},
            {"policy", or_null(printable(sas.policy))},
            {"start", date_or_null(sas.start)},
            {"expires", date_or_null(sas.end)},
            {"ip", or_null(printable(sas.addresses))},
            {"https_only", sas.https_only}};
}

Json to_json(const azure::TokenFacts& login) {
    return {{"source", printable(login.source)},
            {"tenant", or_null(printable(login.tenant))},
            {"user", or_null(printable(login.user))},
            {"client_id", or_null(printable(login.client_id))},
            {"object_id", or_null(printable(login.object_id))},
            {"subject", or_null(printable(login.subject))},
            {"expires", format_iso8601(login.ends)},
            {"last_renewal", date_or_null(login.last_renewal)},
            {"from_cache", login.from_cache}};
}

Status print_json(const Diagnosis& diagnosis, Output& output) {
    Json out;
    out["target"] = or_null(diagnosis.target);
    out["endpoint"] = or_null(diagnosis.endpoint);
    out["ok"] = diagnosis.failure() == nullptr;
    out["clock_ahead_seconds"] = diagnosis.clock_skew;
    out["sas"] = diagnosis.sas ? to_json(*diagnosis.sas) : Json();
    out["login"] = diagnosis.login ? to_json(*diagnosis.login) : Json();
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

// `opened` and `answer` must outlive it.
Result<ops::ExaminedTarget> examined(const Options& o, Context& context, std::optional<Opened>& opened,
                                     const ops::FirstAnswer& answer) {
    const auto settings = context.settings();
    if (!settings) return fail(settings.error());
    const bool account = o.target.empty();
    auto access =
        account ? access_to_account(*settings, context.login()) : access_to(*settings, context.login(), o.target);
    if (!access) return fail(access.error());
    if (o.doctor.write) context.take_time_to_stop(ops::kDoctorStopTime);
    const auto connect = [&opened, &context, &o, account]() -> Result<azure::BlobClient*> {
        auto made = account ? context.open_account() : context.open_single(o.target);
        if (!made) return fail(made.error());
        opened = std::move(*made);
        return &opened->client();
    };
    return ops::ExaminedTarget{access->endpoint,
                               access->credential,
                               access->address,
                               access->endpoint_from,
                               access->credential_from,
                               settings->api_version,
                               transport_options(*settings),
                               connect,
                               answer,
                               [&context] { return context.call(); },
                               context.clock()};
}

Result<Diagnosis> examine(const Options& o, Context& context) {
    ops::FirstAnswer answer(context.clock());
    ops::Tuning tuning;
    tuning.observer = &answer;
    context.tune(tuning);
    std::optional<Opened> opened;
    auto diagnosis = ops::diagnose(examined(o, context, opened, answer), o.doctor);
    context.tune({});  // `answer` ends here
    return diagnosis;
}

Status run(Options o, Context& context) {
    if (!o.need.empty()) {
        auto need = ops::read_permissions(o.need);
        if (!need) return fail(need.error());
        o.doctor.need = std::move(*need);
    }
    const auto diagnosis = examine(o, context);
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

void register_doctor(Parser& app, Commands& commands) {
    auto o = std::make_shared<Options>();
    Parser* cmd =
        app.add_subcommand("doctor", "Find out what works and what does not, from the name to each permission");
    cmd->add_option("TARGET", o->target, "CONTAINER[/BLOB], az://... or URL (default: the account)");
    cmd->add_flag("--write", o->doctor.write,
                  "Try write, read, lease and delete with a blob azlock-doctor-... in the container");
    cmd->add_option("--need", o->need,
                    "Permissions that must be allowed, separated by commas (default read,list,write,lease,delete)")
        ->type_name("LIST");
    cmd->footer(
        "Examples:\n"
        "  azlock doctor artifacts\n"
        "  azlock doctor artifacts --need read,list && echo ready\n"
        "  azlock doctor artifacts --write --json | jq '.checks[].outcome'\n\n"
        "Without --write nothing is written: azlock finds out permissions by requests that the service refuses for\n"
        "another reason. The exit code is that of the first check that failed.\n");
    commands.add(cmd, [o](Context& context) { return run(*o, context); });
}

}  // namespace azlock::cli
