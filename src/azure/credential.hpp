// What proves to the service who we are: a shared key, a SAS, or nothing.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "azure/address.hpp"
#include "azure/sas.hpp"
#include "base/result.hpp"
#include "base/secret.hpp"
#include "http/message.hpp"

namespace azlock::azure {

struct SasGrant;

// Immutable and thread-safe. It gives its secret only to requests.
class Credential {
  public:
    enum class Kind { anonymous, shared_key, sas };

    [[nodiscard]] static Credential anonymous();
    // `key` in Base64. Error: config, naming what is wrong but not the key.
    [[nodiscard]] static Result<Credential> shared_key(std::string_view account, const Secret& key);
    // `sas` with or without its leading '?'. Error: config if it has no signature, or a character that a URL cannot
    // have.
    [[nodiscard]] static Result<Credential> sas(const Secret& sas);

    [[nodiscard]] Kind kind() const { return kind_; }
    // "account key of ACCOUNT", "SAS", "anonymous": for people.
    [[nodiscard]] std::string describe() const;

    // What a SAS says of itself; empty for other kinds.
    [[nodiscard]] std::optional<SasTerms> sas_terms() const;

    // A SAS, without '?', that grants this. Error: auth, for other kinds than shared_key.
    [[nodiscard]] Result<Secret> sign_sas(const SasGrant& grant) const;

    // Last step of every attempt: sets Authorization or the secret part of the query. All other headers must be set;
    // nothing may change the request afterwards.
    void authorize(http::Request& request) const;
    // The text that authorize() signs; empty for other kinds than shared_key. It holds no secret.
    [[nodiscard]] std::string string_to_sign(const http::Request& request) const;

  private:
    Kind kind_ = Kind::anonymous;
    std::string account_;
    Secret secret_;  // the decoded key, or the SAS
};

// Refuses (config) to send a key's signatures or a SAS over plain http to another machine.
[[nodiscard]] Status check_transport_security(const Endpoint& endpoint, const Credential& credential,
                                              bool allow_insecure_http);

}  // namespace azlock::azure
