// A run to which the system gives no memory at some moment: no lease is left behind, and no command.
#include <new>

#include "support/catch.hpp"
#include "unit/ops/lock/locked_run_rig.hpp"
#include "unit/scarce_memory.hpp"

namespace azlock::ops {
namespace {

using Kind = LockedRunEnd::Kind;
using test::lease_action;
using test::LockedRunRig;
using test::ScarceMemory;

// The service and the guard have all the memory that they need.
void spare_the_service(LockedRunRig& rig) {
    rig.faulty.on([](const http::Request&) { return true; }, "any")
        .from(1)
        .with("spared", [](const test::FaultCall& call) {
            const ScarceMemory::Spared spared;
            return call.forward(call.request);
        });
    rig.faulty.report_to([](const std::string&) {});  // a run may end before its first request
}

}  // namespace

TEST_CASE("no moment at which memory ends leaves a lease behind") {
    int late = 0;
    std::int64_t step = 2;
    for (std::int64_t first = 0;; first += step) {
        LockedRunRig rig("exit 3");
        spare_the_service(rig);
        LockedRun run = rig.make();
        bool reached = false;
        bool told_the_rest = true;
        LockedRunEnd end;
        {
            const ScarceMemory scarce(first);
            try {
                end = run.run({});
            } catch (const std::bad_alloc&) {
                told_the_rest = false;  // the message about it did not fit
            }
            reached = ScarceMemory::reached();
        }
        INFO("allocation " << first << "; " << rig.told);
        const auto blob = rig.service.peek("box", "name");
        CHECK((!blob || blob->lease_state != "leased"));
        if (!rig.started.empty() && told_the_rest && end.kind == Kind::ran) CHECK(end.session.wait_status == 3 << 8);
        if (!rig.started.empty()) step = 29;  // these runs take longer
        if (!reached && ++late == 2) break;
    }
}

}  // namespace azlock::ops
