// What all transfers of one command share.
#pragma once

#include "ops/transfer/concurrency_limit.hpp"
#include "ops/transfer/metered_body.hpp"

namespace azlock::ops {

struct Transfer {
    ConcurrencyLimit& concurrency;
    Meter meter;
};

}  // namespace azlock::ops
