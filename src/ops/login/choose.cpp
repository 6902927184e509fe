#include "ops/login/choose.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "ops/login/application.hpp"
#include "ops/login/cached_source.hpp"
#include "ops/login/certificate_assertion.hpp"
#include "ops/login/managed_identity.hpp"
#include "ops/login/pipeline_assertion.hpp"
#include "ops/login/source_chain.hpp"
#include "ops/login/token_answer.hpp"

namespace azlock::ops {
namespace {

using Made = Result<std::unique_ptr<TokenSource>>;

struct Variable {
    std::string name;
    std::string value;
};

// As an --env-file of Docker or a unit file leaves it. No id, path, URL, token or secret of Entra ID looks like that.
bool is_quoted(std::string_view value) {
    return value.size() > 1 && value.front() == value.back() && (value.front() == '"' || value.front() == '\'');
}

// Reads the variables and remembers which were missed.
class Variables {
  public:
    explicit Variables(const LoginOptions& options) : options_(options) {}

    // The first of them that is set; the first of all, without a value, if none is.
    [[nodiscard]] Variable optional(std::initializer_list<const char*> names) const {
        for (const char* name : names) {
            std::string value(trim(options_.environment(name)));
            if (!value.empty()) return {name, std::move(value)};
        }
        return {*names.begin(), {}};
    }
    [[nodiscard]] Variable required(std::initializer_list<const char*> names) {
        Variable found = optional(names);
        if (found.value.empty()) missing_.push_back(found.name);
        if (is_quoted(found.value)) quoted_ = found.name;
        return found;
    }
    // Errors: auth ("AZURE_TENANT_ID is not set"); config, if a required value is in quotation marks.
    [[nodiscard]] Status complete() const {
        if (missing_.empty() && !quoted_.empty()) {
            return fail(ErrorCode::config, quoted_ + " is in quotation marks",
                        "remove them: they are part of the value");
        }
        if (missing_.empty()) return {};
        std::string names;
        for (std::size_t i = 0; i < missing_.size(); ++i) {
            names += (i == 0 ? "" : i + 1 == missing_.size() ? " and " : ", ") + missing_[i];
        }
        return fail(ErrorCode::auth, names + (missing_.size() == 1 ? " is" : " are") + " not set");
    }
    [[nodiscard]] Result<Application> application() {
        Application out;
        const Variable client = required({"AZURE_CLIENT_ID", "AZURESUBSCRIPTION_CLIENT_ID", "ARM_CLIENT_ID"});
        const Variable tenant = required({"AZURE_TENANT_ID", "AZURESUBSCRIPTION_TENANT_ID", "ARM_TENANT_ID"});
        if (auto ok = complete(); !ok) return fail(ok.error());
        if (auto ok = check_tenant(tenant.value, tenant.name); !ok) return fail(ok.error());
        if (auto ok = check_client_id(client.value, client.name); !ok) return fail(ok.error());
        out.client_id = client.value;
        out.tenant = tenant.value;
        const Variable host = optional({"AZURE_AUTHORITY_HOST"});
        auto authority = read_authority(host.value.empty() ? options_.authority : host.value, host.name);
        if (!authority) return fail(authority.error());
        out.authority = *authority;
        return out;
    }

  private:
    const LoginOptions& options_;
    std::vector<std::string> missing_;
    std::string quoted_;
};

Made of_application(const LoginOptions& options, Variables& variables, const char* title, Prove prove,
                    std::optional<WallTime> last_renewal = {}) {
    auto application = variables.application();
    if (!application) return fail(application.error());
    return make_application_source(options.line, std::move(*application), title, std::move(prove), last_renewal);
}

Made by_secret(const LoginOptions& options, bool /*in_chain*/) {
    Variables variables(options);
    const Secret secret(variables.required({"AZURE_CLIENT_SECRET"}).value);
    return of_application(options, variables, "client secret", [secret](Deadline, const std::stop_token&) {
        return Result<Proof>(Proof{Proof::Kind::secret, secret});
    });
}

Made by_certificate(const LoginOptions& options, bool /*in_chain*/) {
    Variables variables(options);
    CertificateOptions certificate;
    certificate.file = variables.required({"AZURE_CLIENT_CERTIFICATE_PATH"}).value;
    certificate.passphrase = Secret(variables.optional({"AZURE_CLIENT_CERTIFICATE_PASSWORD"}).value);
    certificate.passphrase_file = variables.optional({"AZURE_CLIENT_CERTIFICATE_PASSWORD_FILE"}).value;
    const Variable chain = variables.optional({"AZURE_CLIENT_SEND_CERTIFICATE_CHAIN"});
    certificate.with_chain = chain.value == "1" || iequals(chain.value, "true");
    const auto application = variables.application();
    if (!application) return fail(application.error());
    if (!certificate.with_chain && !chain.value.empty() && chain.value != "0" && !iequals(chain.value, "false")) {
        return fail(ErrorCode::config, chain.name + " is neither 1 nor 0");
    }
    auto prove = prove_by_certificate(options.line, *application, std::move(certificate));
    return make_application_source(options.line, *application, "client certificate", std::move(prove));
}

Made by_workload_identity(const LoginOptions& options, bool /*in_chain*/) {
    Variables variables(options);
    const Variable file = variables.required({"AZURE_FEDERATED_TOKEN_FILE", "ARM_OIDC_TOKEN_FILE_PATH"});
    return of_application(options, variables, "workload identity", prove_by_file(file.value, file.name));
}

Made by_id_token(const LoginOptions& options, bool /*in_chain*/) {
    Variables variables(options);
    const Variable jwt = variables.required({"AZURE_ID_TOKEN", "ARM_OIDC_TOKEN"});
    const auto claims = read_claims(jwt.value);
    return of_application(options, variables, "ID token",
                          prove_by_text(Secret(jwt.value), options.line.clock, jwt.name),
                          claims ? claims->ends : std::nullopt);
}

// A job of Azure Pipelines. Terraform has the same variables for its requests as on GitHub, and names a connection,
// too.
constexpr std::initializer_list<const char*> kConnections{"AZURESUBSCRIPTION_SERVICE_CONNECTION_ID",
                                                          "ARM_ADO_PIPELINE_SERVICE_CONNECTION_ID",
                                                          "ARM_OIDC_AZURE_SERVICE_CONNECTION_ID"};

Made by_github(const LoginOptions& options, bool /*in_chain*/) {
    Variables variables(options);
    const bool elsewhere = !variables.optional(kConnections).value.empty();
    const auto either = [&](const char* own, const char* terraform) {
        return elsewhere ? variables.required({own}) : variables.required({own, terraform});
    };
    const Variable url = either("ACTIONS_ID_TOKEN_REQUEST_URL", "ARM_OIDC_REQUEST_URL");
    const Variable bearer = either("ACTIONS_ID_TOKEN_REQUEST_TOKEN", "ARM_OIDC_REQUEST_TOKEN");
    if (auto ok = variables.complete(); !ok) return fail(ok.error());
    auto prove = prove_by_github(options.line, {url.value, url.name, Secret(bearer.value), bearer.name});
    if (!prove) return fail(prove.error());
    return of_application(options, variables, "GitHub Actions", std::move(*prove));
}

Made by_azure_pipelines(const LoginOptions& options, bool /*in_chain*/) {
    Variables variables(options);
    const Variable url = variables.required({"SYSTEM_OIDCREQUESTURI", "ARM_OIDC_REQUEST_URL"});
    const Variable bearer = variables.required({"SYSTEM_ACCESSTOKEN", "ARM_OIDC_REQUEST_TOKEN"});
    const std::string connection = variables.required(kConnections).value;
    if (auto ok = variables.complete(); !ok) return fail(ok.error());
    auto prove =
        prove_by_azure_pipelines(options.line, {url.value, url.name, Secret(bearer.value), bearer.name}, connection);
    if (!prove) return fail(prove.error());
    return of_application(options, variables, "Azure Pipelines", std::move(*prove));
}

Made by_managed_identity(const LoginOptions& options, bool in_chain) {
    return make_managed_identity({options.line, options.environment, in_chain});
}

// A tool may be logged in to several tenants.
Result<std::string> tenant_of_tool(const LoginOptions& options) {
    std::string tenant(trim(options.environment("AZURE_TENANT_ID")));
    if (tenant.empty()) return tenant;
    if (auto ok = check_tenant(tenant, "AZURE_TENANT_ID"); !ok) return fail(ok.error());
    return tenant;
}

Made by_az(const LoginOptions& options, bool /*in_chain*/) {
    const auto tenant = tenant_of_tool(options);
    if (!tenant) return fail(tenant.error());
    return make_az_source(options.line.clock, *tenant, options.run_tool);
}

Made by_azd(const LoginOptions& options, bool /*in_chain*/) {
    const auto tenant = tenant_of_tool(options);
    if (!tenant) return fail(tenant.error());
    return make_azd_source(options.line.clock, *tenant, options.run_tool);
}

struct Candidate {
    std::string_view name;
    Made (*make)(const LoginOptions& options, bool in_chain);
    bool guessed = false;  // nobody configures it: azlock looks whether it is there, after all that are configured
    bool keeps = false;    // it keeps its tokens itself, and knows who has logged in since
};

constexpr std::array kCandidates{
    Candidate{"secret", by_secret},
    Candidate{"certificate", by_certificate},
    Candidate{"workload-identity", by_workload_identity},
    Candidate{"id-token", by_id_token},
    Candidate{"github", by_github},
    Candidate{"azure-pipelines", by_azure_pipelines},
    Candidate{"managed-identity", by_managed_identity, true},
    Candidate{"az", by_az, true, true},
    Candidate{"azd", by_azd, true, true},
};

// The names of the SDKs, in AZURE_TOKEN_CREDENTIALS, and what they mean here.
struct SdkName {
    std::string_view name;
    std::string_view ours;  // separated by blanks
};
constexpr std::array kSdkNames{
    SdkName{"prod", "secret certificate workload-identity id-token github azure-pipelines managed-identity"},
    SdkName{"dev", "az azd"},
    SdkName{"EnvironmentCredential", "secret certificate"},
    SdkName{"WorkloadIdentityCredential", "workload-identity"},
    SdkName{"ManagedIdentityCredential", "managed-identity"},
    SdkName{"AzureCliCredential", "az"},
    SdkName{"AzureDeveloperCliCredential", "azd"},
};

struct Choice {
    std::vector<std::string> names;  // empty: all
    std::string by;                  // which setting made the choice
};

Result<Choice> read_choice(const LoginOptions& options) {
    if (!options.credential.empty()) return Choice{{options.credential}, "--credential " + options.credential};
    const std::string wanted(trim(options.environment("AZURE_TOKEN_CREDENTIALS")));
    if (wanted.empty()) return Choice{};
    for (const SdkName& known : kSdkNames) {
        if (!iequals(known.name, wanted)) continue;
        Choice out{{}, "AZURE_TOKEN_CREDENTIALS=" + std::string(known.name)};
        for (const std::string_view name : split(known.ours, ' ')) out.names.emplace_back(name);
        return out;
    }
    std::string all;
    for (const SdkName& known : kSdkNames) all += (all.empty() ? "" : ", ") + std::string(known.name);
    // The value is not repeated: it may be a secret in the wrong place.
    return fail(ErrorCode::config, "AZURE_TOKEN_CREDENTIALS names no credential that azlock has", "expected " + all);
}

Made make_candidate(const Candidate& candidate, const LoginOptions& options, bool in_chain) {
    auto made = candidate.make(options, in_chain);
    if (!made || !options.token_cache || candidate.keeps) return made;
    return make_cached_source(std::move(*made), {std::string(options.environment("XDG_RUNTIME_DIR")),
                                                 options.line.clock, options.line.random, options.note});
}

}  // namespace

std::vector<std::string> credential_names() {
    std::vector<std::string> out;
    for (const Candidate& candidate : kCandidates) out.emplace_back(candidate.name);
    return out;
}

std::string authority_for(const azure::Endpoint& endpoint) {
    const std::string& host = endpoint.origin.host;
    if (host.ends_with(".core.usgovcloudapi.net")) return "https://login.microsoftonline.us";
    if (host.ends_with(".core.chinacloudapi.cn")) return "https://login.partner.microsoftonline.cn";
    return "https://login.microsoftonline.com";
}

Result<std::unique_ptr<TokenSource>> choose_source(const LoginOptions& options) {
    const auto choice = read_choice(options);
    if (!choice) return fail(choice.error());
    const auto wanted = [&](std::string_view name) {
        return choice->names.empty() ||
               std::find(choice->names.begin(), choice->names.end(), name) != choice->names.end();
    };
    const bool alone = choice->names.size() == 1;
    std::vector<std::unique_ptr<TokenSource>> guesses;
    std::vector<std::string> reasons;
    for (const Candidate& candidate : kCandidates) {
        if (!wanted(candidate.name)) continue;
        auto made = make_candidate(candidate, options, !alone);
        if (made && (alone || !candidate.guessed)) return made;  // its error is final
        if (made) {
            guesses.push_back(std::move(*made));
        } else if (made.error().code != ErrorCode::auth) {
            return fail(made.error());
        } else {
            reasons.push_back(std::string(candidate.name) + ": " + made.error().message);
        }
    }
    if (!guesses.empty()) return make_source_chain(std::move(guesses), std::move(reasons));
    if (choice->names.empty()) return fail(no_credential(reasons));
    std::string message = "the credential of " + choice->by + " is not set up here";
    for (const std::string& reason : reasons) message += "; " + reason;
    return fail(ErrorCode::auth, std::move(message), "docs/credentials.md says what each needs");
}

}  // namespace azlock::ops
