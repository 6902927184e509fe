#include "ops/doctor/diagnose.hpp"

#include <algorithm>

#include "base/error_text.hpp"
#include "base/http_date.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"
#include "ops/doctor/permission_probe.hpp"

namespace azlock::ops {
namespace {

using azure::Credential;
using std::chrono::seconds;
using Outcome = Check::Outcome;

// The time limit for each request of a check.
constexpr seconds kPatience{20};

// True if the service refused the credential, not only this request.
bool refuses_credential(const Credential& credential, const Error& error) {
    if (error.code != ErrorCode::auth) return false;
    // A SAS or a login may lack one permission and have others.
    const bool may_lack_one =
        credential.kind() == Credential::Kind::sas || credential.kind() == Credential::Kind::login;
    if (!may_lack_one || error.http_status == 401) return true;
    constexpr std::string_view kWhole[] = {"AuthenticationFailed", "AuthorizationFailure", "InvalidAuthenticationInfo",
                                           "AccountIsDisabled"};
    return std::find(std::begin(kWhole), std::end(kWhole), error.service_code) != std::end(kWhole);
}

std::string describe_login(const azure::TokenFacts& facts) {
    std::string out;
    const std::pair<const char*, const std::string&> parts[] = {{"tenant ", facts.tenant},
                                                                {"user ", facts.user},
                                                                {"client ", facts.client_id},
                                                                {"object id ", facts.object_id},
                                                                {"subject ", facts.subject}};
    for (const auto& [text, value] : parts) {
        if (!value.empty()) out += std::string("; ") + text + printable(value);
    }
    out += "; the token ends at " + format_iso8601(facts.ends);
    if (facts.from_cache) out += ", and comes from the token cache";
    if (facts.last_renewal) out += ", and there is none after " + format_iso8601(*facts.last_renewal);
    return out;
}

std::string describe(const ExaminedTarget& target) {
    const auto sas = target.credential.sas_terms();
    std::string out = sas ? azure::describe_kind(*sas) : target.credential.describe();
    if (!target.credential_from.empty()) out += ", from " + target.credential_from;
    if (const auto facts = target.credential.token_facts()) out += describe_login(*facts);
    if (!sas) return out;
    const auto add = [&](const char* text, const std::string& value) {
        if (!value.empty()) out += std::string("; ") + text + printable(value);
    };
    add("permissions ", sas->permissions);
    add("resource types ", sas->resource_types);
    add("stored policy ", sas->policy);
    if (sas->start) add("starts ", format_iso8601(*sas->start));
    if (sas->end) add("expires ", format_iso8601(*sas->end));
    const WallTime now = target.clock.wall();
    if (sas->end && *sas->end > now) {
        out += " (in " + format_duration(std::chrono::floor<std::chrono::milliseconds>(*sas->end - now)) + ")";
    }
    add("only from ", sas->addresses);
    if (sas->https_only) out += "; only over https";
    return out;
}

class Examination {
  public:
    Examination(const ExaminedTarget& target, const DoctorOptions& options)
        : target_(target), options_(options), answer_(target.answer) {}

    Result<Diagnosis> run() {
        examine();
        for (const Check& check : out_.checks) {
            if (check.error && check.error->code == ErrorCode::cancelled) return fail(*check.error);
        }
        return std::move(out_);
    }

  private:
    void examine() {
        const bool account = target_.address.container.empty();
        out_.target = account ? target_.endpoint.account : target_.address.to_string();
        out_.endpoint = target_.endpoint.to_string();
        out_.sas = target_.credential.sas_terms();
        add({"configuration", Outcome::ok, out_.endpoint + ", from " + target_.endpoint_from});
        if (!check_connection(target_.transport, target_.endpoint.origin, call(), out_.checks)) return;

        const auto connected = target_.connect();
        if (!connected) return add({"configuration", Outcome::failed, connected.error().message, connected.error()});
        if (!check_login()) return;
        azure::BlobClient& client = **connected;
        const Probe first = account ? list_containers(client) : probe_read(client, target_.address, call());
        const bool answered =
            check_answer(answer_, first.error, target_.api_version, target_.endpoint.origin, out_.checks);
        if (const auto ahead = answer_.clock_ahead) out_.clock_skew = static_cast<double>(ahead->count()) / 1000.0;
        if (!answered || !check_credential(first)) return;
        account ? permission(first) : permissions(client, first);
    }

    Probe list_containers(azure::BlobClient& client) {
        azure::ListOptions one;
        one.max_results = 1;
        const auto page = client.list_containers(one, call());
        Probe probe{"list_containers", Probe::Outcome::allowed};
        if (page) return probe;
        probe.outcome = page.error().code == ErrorCode::auth ? Probe::Outcome::refused : Probe::Outcome::unknown;
        probe.error = page.error();
        return probe;
    }

    // Gets the token before the first request: whoever gives no token is not the Blob service.
    bool check_login() {
        http::Request nothing;
        const azure::Call limits = call();
        const auto ok = target_.credential.authorize(nothing, limits.deadline, limits.stop);
        out_.login = target_.credential.token_facts();
        if (ok) return true;
        add({"credential", Outcome::failed, describe(target_) + ": " + ok.error().message, ok.error()});
        return false;
    }

    bool check_credential(const Probe& first) {
        const std::string text = describe(target_);
        if (first.error && refuses_credential(target_.credential, *first.error)) {
            add({"credential", Outcome::failed, text + ": " + first.error->message, first.error});
            return false;
        }
        add({"credential", Outcome::ok, text});
        return true;
    }

    void permissions(azure::BlobClient& client, const Probe& first) {
        if (first.error && first.outcome == Probe::Outcome::unknown) {
            add({"container", Outcome::failed, first.error->message, first.error});
            return;
        }
        if (out_.sas && out_.sas->resource == "b") {
            permission(first);
            add({"permissions", Outcome::skipped, "the SAS is only for this blob: nothing but a read was tried"});
            return;
        }
        const std::string& container = target_.address.container;
        auto probes = probe_permissions(client, container, call());
        probes.insert(probes.begin(), first);
        if (options_.write) try_with_blob(client, probes);
        for (const Probe& probe : probes) permission(probe);
    }

    // Replaces results of the harmless probes with those of a real blob.
    void try_with_blob(azure::BlobClient& client, std::vector<Probe>& probes) {
        const auto named = [&](const std::string& name) {
            return std::find_if(probes.begin(), probes.end(), [&](const Probe& p) { return p.permission == name; });
        };
        if (const auto remove = named("delete"); remove == probes.end() || remove->outcome != Probe::Outcome::allowed) {
            add({"probe_blob", Outcome::skipped, "not written, because it could not be deleted afterwards"});
            return;
        }
        const auto last_call = [&] { return azure::Call{target_.clock.after(kDoctorStopTime), {}}; };
        for (Probe& probe : probe_with_blob(client, target_.address.container, call(), last_call)) {
            probe.note = probe.note.empty() ? "tried with a blob" : probe.note;
            *named(probe.permission) = std::move(probe);
        }
    }

    void permission(const Probe& probe) {
        const std::string& name = probe.permission;
        const std::string note = probe.note.empty() ? "" : " (" + probe.note + ")";
        if (probe.outcome == Probe::Outcome::allowed) return add({name, Outcome::ok, "allowed" + note, probe.error});
        if (probe.outcome == Probe::Outcome::untested) return add({name, Outcome::skipped, probe.note});
        const bool needed = options_.need.contains(name) || probe.outcome == Probe::Outcome::unknown;
        std::string why = probe.error ? error_text(*probe.error) : std::string("no answer");
        const bool role = target_.credential.kind() == Credential::Kind::login && probe.error;
        if (role && !probe.error->hint.empty()) why += ": " + probe.error->hint;
        add({name, needed ? Outcome::failed : Outcome::warning,
             (probe.outcome == Probe::Outcome::refused ? "refused: " : "not known: ") + why + note, probe.error});
    }

    void add(Check check) { out_.checks.push_back(std::move(check)); }
    [[nodiscard]] azure::Call call() {
        azure::Call call = target_.call();
        call.deadline = std::min(call.deadline, target_.clock.after(kPatience));
        return call;
    }

    const ExaminedTarget& target_;
    const DoctorOptions& options_;
    const FirstAnswer& answer_;
    Diagnosis out_;
};

}  // namespace

const Check* Diagnosis::failure() const {
    const auto it =
        std::find_if(checks.begin(), checks.end(), [](const Check& check) { return check.outcome == Outcome::failed; });
    return it == checks.end() ? nullptr : &*it;
}

Result<std::set<std::string>> read_permissions(std::string_view text) {
    static const std::set<std::string> kKnown{
        "read", "list", "write", "lease", "delete", "create_container", "list_containers", "none"};
    std::set<std::string> out;
    for (const std::string_view word : split(text, ',')) {
        const std::string name(trim(word));
        if (!kKnown.contains(name)) {
            return fail(ErrorCode::usage, "--need: " + in_quotes(name) + " is not a permission",
                        "give some of read,list,write,lease,delete,create_container,list_containers, or none");
        }
        out.insert(name);
    }
    return out;
}

Result<Diagnosis> diagnose(const Result<ExaminedTarget>& target, const DoctorOptions& options) {
    if (target && options.write && target->address.container.empty()) {
        return fail(ErrorCode::usage, "--write needs a TARGET");
    }
    if (target) return Examination(*target, options).run();
    const Error& error = target.error();
    if (error.code == ErrorCode::usage) return fail(error);
    Diagnosis out;
    out.checks.push_back({"configuration", Outcome::failed, error.message, error});
    return out;
}

}  // namespace azlock::ops
