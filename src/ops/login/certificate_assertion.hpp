// An application that proves who it is with a certificate: azlock signs an assertion for each token request.
#pragma once

#include <string>

#include "ops/login/application.hpp"

namespace azlock::ops {

struct CertificateOptions {
    std::string file;             // PEM or PKCS#12; read for each request
    Secret passphrase;            // empty: none
    std::string passphrase_file;  // holds it in its first line; empty: none
    bool with_chain = false;      // the authority trusts the issuer, so it wants all certificates
};

// Clock and random generator of the line are used. Errors of the proof: auth (the file cannot be read or used, the
// certificate has ended).
[[nodiscard]] Prove prove_by_certificate(const TokenLine& line, const Application& application,
                                         CertificateOptions options);

}  // namespace azlock::ops
