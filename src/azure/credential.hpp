// What proves to the service who we are: a shared key, a SAS, the token of a login, or nothing.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "azure/address.hpp"
#include "azure/sas.hpp"
#include "azure/tokens.hpp"
#include "base/result.hpp"
#include "base/secret.hpp"
#include "http/message.hpp"

namespace azlock::azure {

struct SasGrant;

// Immutable and thread-safe. It gives its secret only to requests.
class Credential {
  public:
    enum class Kind { anonymous, shared_key, sas, login };

    [[nodiscard]] static Credential anonymous();
    // `key` in Base64. Error: config, naming what is wrong but not the key.
    [[nodiscard]] static Result<Credential> shared_key(std::string_view account, const Secret& key);
    // `sas` with or without its leading '?'. Error: config if it has no signature, or a character that a URL cannot
    // have.
    [[nodiscard]] static Result<Credential> sas(const Secret& sas);

    // `tokens` must not be null.
    [[nodiscard]] static Credential login(std::shared_ptr<Tokens> tokens);

    [[nodiscard]] Kind kind() const { return kind_; }
    // "account key of ACCOUNT", "SAS", "login by workload identity", "anonymous": for people.
    [[nodiscard]] std::string describe() const;

    // What a SAS says of itself; empty for other kinds.
    [[nodiscard]] std::optional<SasTerms> sas_terms() const;

    // A SAS, without '?', that grants this. Error: auth, for other kinds than shared_key. (A login gets a UserKey
    // first.)
    [[nodiscard]] Result<Secret> sign_sas(const SasGrant& grant) const;
    // Of a login: see Tokens. Other kinds last as long as they do, and have no facts.
    [[nodiscard]] Status last_for(std::chrono::nanoseconds life, Deadline deadline, const std::stop_token& stop) const;
    [[nodiscard]] std::optional<TokenFacts> token_facts() const;

    // Last step of every attempt: sets Authorization or the secret part of the query. All other headers must be set;
    // nothing may change the request afterwards. A login may have to wait for a token; its errors are those of
    // Tokens::token(). Other kinds always succeed.
    [[nodiscard]] Status authorize(http::Request& request, Deadline deadline = kNoDeadline,
                                   const std::stop_token& stop = {}) const;
    // The service refused the token that this request carries: the next one carries another.
    void renew_after(const http::Request& refused) const;
    // The text that authorize() signs; empty for other kinds than shared_key. It holds no secret.
    [[nodiscard]] std::string string_to_sign(const http::Request& request) const;

  private:
    Kind kind_ = Kind::anonymous;
    std::string account_;
    Secret secret_;  // the decoded key, or the SAS
    std::shared_ptr<Tokens> tokens_;
};

// Refuses (config) to send a key's signatures, a SAS or a token over plain http to another machine.
[[nodiscard]] Status check_transport_security(const Endpoint& endpoint, const Credential& credential,
                                              bool allow_insecure_http);

}  // namespace azlock::azure
