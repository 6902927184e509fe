// What `azlock lease list --prometheus` prints.
#pragma once

#include <string>
#include <vector>

#include "cli/output/metrics.hpp"
#include "ops/lease/list.hpp"

namespace azlock::cli {

// `place`: what was listed; "*": the whole account. The name of a blob's lease has its container, too.
[[nodiscard]] Metrics lease_metrics(const std::string& account, const std::string& place,
                                    const std::vector<ops::ListedLease>& leases);

}  // namespace azlock::cli
