// Looks at everything between here and a container, in the order in which it can fail, and says what it found.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/program/context.hpp"

namespace azlock::cli {

struct DoctorOptions {
    std::string target;                                                      // container, blob, or empty: the account
    bool write = false;                                                      // with a blob made for it
    std::set<std::string> need{"read", "list", "write", "lease", "delete"};  // permissions whose lack is a failure
};

struct Check {
    enum class Outcome { ok, warning, failed, skipped };
    std::string name;
    Outcome outcome = Outcome::ok;
    std::string detail;
    std::optional<Error> error = {};
};

struct Diagnosis {
    std::vector<Check> checks;
    std::string target;
    std::string endpoint;
    std::optional<double> clock_skew;  // seconds that this machine is ahead of the service

    // The first failure; null: there is none.
    [[nodiscard]] const Check* failure() const;
};

// What is found wrong is in the diagnosis. Error: cancelled, or usage (of the target).
[[nodiscard]] Result<Diagnosis> diagnose(const DoctorOptions& options, Context& context);

}  // namespace azlock::cli
