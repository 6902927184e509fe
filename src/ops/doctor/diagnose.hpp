// Checks everything between this machine and a container, in the order in which it can fail, and reports the results.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "azure/client.hpp"
#include "azure/credential.hpp"
#include "ops/doctor/check_connection.hpp"

namespace azlock::ops {

struct DoctorOptions {
    bool write = false;                                                      // also try with a test blob
    std::set<std::string> need{"read", "list", "write", "lease", "delete"};  // they must be allowed
};

// The names in `text`, separated by commas; "none" stands for no permission. Error (usage): no such permission.
[[nodiscard]] Result<std::set<std::string>> read_permissions(std::string_view text);

// What is examined, and how to reach it.
struct ExaminedTarget {
    azure::Endpoint endpoint;
    azure::Credential credential;
    azure::BlobAddress address;   // of a container or blob; without a container: the account
    std::string endpoint_from;    // which setting it comes from
    std::string credential_from;  // empty: there is none
    std::string api_version;
    http::TransportOptions transport;
    // Makes the client. One attempt for each request; `answer` sees the answers.
    std::function<Result<azure::BlobClient*>()> connect;
    const FirstAnswer& answer;
    std::function<azure::Call()> call;
    const Clock& clock;
};

// Time to delete the test blob, even after a signal.
inline constexpr std::chrono::seconds kDoctorStopTime{10};

struct Diagnosis {
    std::vector<Check> checks;
    std::string target;
    std::string endpoint;
    std::optional<azure::SasTerms> sas;      // of the credential; empty: it is no SAS
    std::optional<azure::TokenFacts> login;  // of its token; empty: it is no login, or got none
    std::optional<double> clock_skew;        // seconds that this machine's clock is ahead of the service's

    // The first failed check; null if there is none.
    [[nodiscard]] const Check* failure() const;
};

// Problems that it finds are in the diagnosis; a target that a wrong configuration hides is one, too. Errors: usage
// (the target cannot be parsed, or a test blob is wanted without a container), cancelled.
[[nodiscard]] Result<Diagnosis> diagnose(const Result<ExaminedTarget>& target, const DoctorOptions& options);

}  // namespace azlock::ops
