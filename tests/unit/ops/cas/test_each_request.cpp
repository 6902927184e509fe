// An update is disturbed at each of its requests. Afterwards the value has it once or not at all, as the result says,
// and the other writer's update, too.
#include "unit/each_request.hpp"
#include "unit/ops/cas/cas_rig.hpp"

namespace azlock::test {
namespace {

using By = Disturbed::By;

struct CasStepRig : CasRig {
    [[nodiscard]] int value() {
        const auto text = content();
        return text ? std::stoi(*text) : 0;
    }
    int others = 0;  // updates by another writer
};

DisturbedRun<CasStepRig> adds_one(bool creates, bool by_azlock) {
    const auto prepare = [=](CasStepRig& r) {
        if (!creates) r.service.put("box", "data", "0");
    };
    const auto run = [=](CasStepRig& r) {
        ops::CasOptions options;
        options.create = creates;
        const auto report = r.add_one(options);
        return report ? Status() : fail(report.error());
    };
    const auto another_writes = [=](CasStepRig& r) {
        const int before = r.value();
        if (by_azlock) {
            r.peer_adds_one(creates);
        } else if (const auto found = r.service.peek("box", "data"); !found || found->lease_state != "leased") {
            r.service.put("box", "data", std::to_string(before + 1));
        }
        r.others += r.value() - before;
    };
    const auto check = [=](CasStepRig& r, const Disturbed& by, const Status& result) {
        const int ours = r.value() - r.others;
        CHECK((ours == 0 || ours == 1));
        if (result) CHECK(ours == 1);
        if (result) return;
        if (by.by == By::loss && by.times == 1) CHECK(result);
        if (by.by == By::kill) CHECK(ours == 0);
        if (by.by == By::kill) return;
        CHECK(result.error().code == ErrorCode::unavailable);
        CHECK((result.error().may_have_applied || ours == 0));
    };
    const auto check_repeat = [=](CasStepRig& r, const Disturbed&) {
        const int there = r.value();
        const Status again = run(r);
        CAPTURE(why(again));
        CHECK(again);
        CHECK(r.value() == there + 1);
    };
    return {
        std::string(creates ? "of a new blob" : "over a blob") + (by_azlock ? ", beside azlock" : ", beside others"),
        prepare,
        run,
        another_writes,
        check,
        check_repeat};
}

}  // namespace

TEST_CASE("an update that is disturbed at any request is made once or not at all, and its result is true") {
    for (const bool creates : {false, true}) {
        for (const bool by_azlock : {false, true}) disturb_each_request(adds_one(creates, by_azlock));
    }
}

}  // namespace azlock::test
