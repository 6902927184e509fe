#include "cli/commands/doctor/doctor.hpp"

#include <algorithm>

#include "base/http_date.hpp"
#include "base/text.hpp"
#include "cli/commands/doctor/check_connection.hpp"
#include "ops/doctor/permission_probe.hpp"

namespace azlock::cli {
namespace {

using azure::Credential;
using ops::Probe;
using std::chrono::seconds;
using Outcome = Check::Outcome;

// Nobody waits longer than this for any one of the looks.
constexpr seconds kPatience{20};
// What a blob made for a look may need to be deleted after a signal.
constexpr seconds kToDelete{10};

// Not only this request was refused but whoever sends it.
bool refuses_credential(const Credential& credential, const Error& error) {
    if (error.code != ErrorCode::auth) return false;
    if (credential.kind() != Credential::Kind::sas || error.http_status == 401) return true;
    constexpr std::string_view kWhole[] = {"AuthenticationFailed", "AuthorizationFailure", "InvalidAuthenticationInfo",
                                           "AccountIsDisabled"};
    return std::find(std::begin(kWhole), std::end(kWhole), error.service_code) != std::end(kWhole);
}

std::string describe(const Access& access) {
    const Credential& credential = access.credential;
    std::string out = credential.describe();
    if (!access.credential_from.empty()) out += ", from " + access.credential_from;
    struct Part {
        const char* name;
        const char* text;
    };
    for (const Part& part :
         {Part{"sp", "permissions "}, Part{"sr", "resource "}, Part{"srt", "resource types "}, Part{"st", "starts "},
          Part{"se", "expires "}, Part{"sip", "for addresses "}, Part{"si", "stored policy "}}) {
        const std::string value = credential.sas_parameter(part.name);
        if (!value.empty()) out += std::string("; ") + part.text + printable(value);
    }
    return out;
}

class Examination {
  public:
    Examination(const DoctorOptions& options, Context& context)
        : options_(options), context_(context), answer_(context.clock()) {}

    Result<Diagnosis> run() {
        auto ok = examine();
        context_.tune({});
        if (!ok) return fail(ok.error());
        for (const Check& check : out_.checks) {
            if (check.error && check.error->code == ErrorCode::cancelled) return fail(*check.error);
        }
        return std::move(out_);
    }

  private:
    Status examine() {
        const auto settings = context_.settings();
        if (!settings) return configuration(settings.error());
        auto access = options_.target.empty() ? access_to_account(*settings) : access_to(*settings, options_.target);
        if (!access) return configuration(access.error());
        out_.target = options_.target.empty() ? access->endpoint.account : access->address.to_string();
        out_.endpoint = access->endpoint.to_string();
        add({"configuration", Outcome::ok, out_.endpoint + ", from " + access->endpoint_from});
        if (!check_connection(*settings, access->endpoint.origin, call(), out_.checks)) return {};

        Context::Tuning tuning;
        tuning.observer = &answer_;
        context_.tune(tuning);
        auto opened = options_.target.empty() ? context_.open_account() : context_.open_single(options_.target);
        if (!opened) return configuration(opened.error());
        const Probe first = options_.target.empty() ? list_containers(*opened)
                                                    : ops::probe_read(opened->client(), opened->address, call());
        const bool answered = check_answer(answer_, first.error, *settings, access->endpoint.origin, out_.checks);
        if (const auto ahead = answer_.clock_ahead()) out_.clock_skew = static_cast<double>(ahead->count()) / 1000.0;
        if (!answered || !check_credential(*access, first)) return {};
        options_.target.empty() ? permission(first) : permissions(*access, *opened, first);
        return {};
    }

    // A target that cannot be read at all is the caller's mistake and no finding.
    Status configuration(const Error& error) {
        if (error.code == ErrorCode::usage) return fail(error);
        add({"configuration", Outcome::failed, error.message, error});
        return {};
    }

    Probe list_containers(const Opened& opened) {
        azure::ListOptions one;
        one.max_results = 1;
        const auto page = opened.client().list_containers(one, call());
        Probe probe{"list_containers", Probe::Outcome::allowed};
        if (page) return probe;
        probe.outcome = page.error().code == ErrorCode::auth ? Probe::Outcome::refused : Probe::Outcome::unknown;
        probe.error = page.error();
        return probe;
    }

    bool check_credential(const Access& access, const Probe& first) {
        const std::string text = describe(access);
        if (first.error && refuses_credential(access.credential, *first.error)) {
            add({"credential", Outcome::failed, text + ": " + first.error->message, first.error});
            return false;
        }
        add({"credential", Outcome::ok, text});
        return true;
    }

    void permissions(const Access& access, const Opened& opened, const Probe& first) {
        if (first.error && first.outcome == Probe::Outcome::unknown) {
            add({"container", Outcome::failed, first.error->message, first.error});
            return;
        }
        if (access.credential.sas_parameter("sr") == "b") {
            permission(first);
            add({"permissions", Outcome::skipped, "the SAS is for this blob alone: only what harms nothing was tried"});
            return;
        }
        const std::string& container = opened.address.container;
        auto probes = ops::probe_permissions(opened.client(), container, call());
        probes.insert(probes.begin(), first);
        if (options_.write) in_earnest(opened, probes);
        for (const Probe& probe : probes) permission(probe);
    }

    // The harmless probes give way to what happened to a real blob.
    void in_earnest(const Opened& opened, std::vector<Probe>& probes) {
        const auto named = [&](const std::string& name) {
            return std::find_if(probes.begin(), probes.end(), [&](const Probe& p) { return p.permission == name; });
        };
        if (const auto remove = named("delete"); remove == probes.end() || remove->outcome != Probe::Outcome::allowed) {
            add({"probe_blob", Outcome::skipped, "not written, for it could not be deleted afterwards"});
            return;
        }
        context_.take_time_to_stop(kToDelete);
        const auto last_call = [&] { return context_.last_call(kToDelete); };
        for (Probe& probe : ops::probe_with_blob(opened.client(), opened.address.container, call(), last_call)) {
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
        const std::string why = probe.error ? error_text(*probe.error) : std::string("no answer");
        add({name, needed ? Outcome::failed : Outcome::warning,
             (probe.outcome == Probe::Outcome::refused ? "refused: " : "not known: ") + why + note, probe.error});
    }

    void add(Check check) { out_.checks.push_back(std::move(check)); }
    [[nodiscard]] azure::Call call() {
        azure::Call call = context_.call();
        call.deadline = std::min(call.deadline, context_.clock().after(kPatience));
        return call;
    }

    const DoctorOptions& options_;
    Context& context_;
    FirstAnswer answer_;
    Diagnosis out_;
};

}  // namespace

const Check* Diagnosis::failure() const {
    const auto it =
        std::find_if(checks.begin(), checks.end(), [](const Check& check) { return check.outcome == Outcome::failed; });
    return it == checks.end() ? nullptr : &*it;
}

Result<Diagnosis> diagnose(const DoctorOptions& options, Context& context) {
    return Examination(options, context).run();
}

}  // namespace azlock::cli
