// `azlock sas TARGET`: makes a SAS, which gives others a part of what the account key or the login permits.
#include <memory>

#include "base/http_date.hpp"
#include "cli/flags/flags.hpp"
#include "cli/program/command.hpp"
#include "ops/sas/make_sas.hpp"

namespace azlock::cli {
namespace {

struct Options {
    std::string target;
    ops::SasRequest request;
    bool url = false;
};

Json to_json(const ops::MadeSas& made) {
    const azure::SasGrant& grant = made.grant;
    return {{"target", grant.address.to_string()},
            {"kind", made.kind},
            {"sas", made.sas.reveal()},
            {"url", made.url.reveal()},
            {"permissions", grant.permissions},
            {"start", date_or_null(grant.start)},
            {"expires", format_iso8601(grant.end)},
            {"ip", or_null(grant.addresses)},
            {"https_only", grant.https_only}};
}

Status run(const Options& o, Context& context) {
    const auto settings = context.settings();
    if (!settings) return fail(settings.error());
    const auto opened = context.open(o.target);
    if (!opened) return fail(opened.error());
    const auto made =
        ops::make_sas(o.request, opened->client(), opened->address, settings->api_version, context.call());
    if (!made) return fail(made.error());
    Output& output = context.output();
    if (output.json()) return output.object(to_json(*made));
    return output.line(o.url ? made->url.reveal() : made->sas.reveal());
}

}  // namespace

void register_sas(Parser& app, Commands& commands) {
    auto o = std::make_shared<Options>();
    Parser* cmd = app.add_subcommand("sas", "Make a SAS for a container or blob");
    cmd->add_option("TARGET", o->target, "CONTAINER[/BLOB], az://... or URL")->required();
    cmd->add_option("--permissions", o->request.permissions, "What it permits: letters of racwdxlt (default r)")
        ->type_name("LETTERS");
    auto* span = add_duration(*cmd, "--for", o->request.span, "How long it is valid (default 1h)");
    add_time(*cmd, "--expires", o->request.end, "When it ends, instead of --for: 2026-12-01T08:00:00Z or 2026-12-01")
        ->excludes(span);
    add_time(*cmd, "--start", o->request.start, "When it begins (default: at once)");
    cmd->add_option("--ip", o->request.addresses,
                    "The IPv4 address, or range FIRST-LAST, that may use it (default any)")
        ->type_name("ADDRESS");
    cmd->add_flag("--https-only", o->request.https_only, "Requests over plain http may not use it");
    cmd->add_flag("--url", o->url, "Print the whole URL of the container or blob, with the SAS");
    cmd->footer(
        "Examples:\n"
        "  azlock sas artifacts/build.tar.gz --url\n"
        "  azlock sas artifacts --permissions rl --for 8h\n"
        "  curl -fO \"$(azlock sas artifacts/build.tar.gz --url --for 10m)\"\n\n"
        "The letters: r read, a add to append blobs, c create new blobs, w write and lease, d delete, x delete "
        "versions,\n"
        "l list (containers only), t tags. Whoever has the SAS may do that until it ends, and nobody can take it back\n"
        "before that without a new account key. With the account key azlock sends nothing. With a login it gets a key\n"
        "of seven days at most from the service (role Storage Blob Delegator), and the SAS permits no more than the\n"
        "login.\n");
    commands.add(cmd, [o](Context& context) { return run(*o, context); });
}

}  // namespace azlock::cli
