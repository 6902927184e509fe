// Who holds a lease according to the records of other tools: Terraform's azurerm backend, and WebJobs and Functions.
#pragma once

#include <optional>
#include <string>

#include "azure/types.hpp"
#include "base/clock.hpp"

namespace azlock::ops {

struct ForeignRecord {
    std::string tool;      // "terraform", "webjobs"
    std::string lease_id;  // Terraform: its lock id is the lease id
    std::string who;       // "user@host", or the instance's id
    std::string operation;
    std::string version;
    std::optional<WallTime> since;
};

// Never fails. nullopt: there is no such record. If the record cannot be read, only `tool` is set.
[[nodiscard]] std::optional<ForeignRecord> read_foreign_record(const azure::Metadata& metadata);

// "Terraform: deploy@ci-7 for 12 min, OperationTypeApply"; one line. `now` is the service's time.
[[nodiscard]] std::string describe_foreign(const ForeignRecord& record, std::optional<WallTime> now);

}  // namespace azlock::ops
