// An append is disturbed at each of its requests. Afterwards the blob has its batches in order and each once, up to the
// last or, if the result says so, up to an earlier one; and what another writer has appended.
#include "unit/each_request.hpp"
#include "unit/ops/append/append_rig.hpp"

namespace azlock::test {
namespace {

using By = Disturbed::By;
using ops::AppendLease;

const std::vector<std::string> kBatches{"one\n", "two\n", "three\n"};
constexpr const char* kAll = "one\ntwo\nthree\n";
constexpr const char* kTheirLine = "theirs\n";

struct AppendStepRig : AppendRig {
    // Without the lines of the other writer.
    [[nodiscard]] std::string ours() {
        std::string text = content().value_or("");
        for (int i = 0; i < others; ++i) {
            const std::size_t at = text.find(kTheirLine);
            REQUIRE(at != std::string::npos);
            text.erase(at, std::string_view(kTheirLine).size());
        }
        return text;
    }
    int others = 0;
};

Status append_batches(AppendStepRig& r, AppendLease lease, const std::vector<std::string>& batches) {
    const auto report = r.append(batches, with_lease(lease));
    return report ? Status() : fail(report.error());
}

// Continues where the blob ends.
Status append_the_rest(AppendStepRig& r, const std::string& content) {
    ops::Appender appender(r.writer.client(), r.blob, with_lease(AppendLease::exclusive), {});
    if (auto opened = appender.open(); !opened) return opened;
    const auto there = appender.resume(*http::make_body(content), "job.log");
    if (!there) return fail(there.error());
    ListSource source(r.clock, {});
    for (std::size_t at = *there; at < content.size();) {
        const std::size_t end = content.find('\n', at) + 1;
        source.add(content.substr(at, end - at));
        at = end;
    }
    return appender.run(source);
}

void another_appends(AppendStepRig& r) {
    if (!r.service.peek("box", "data")) r.peer_creates();
    if (r.peer.client().append_block(r.blob, http::make_body(kTheirLine), {}, {})) ++r.others;
}

DisturbedRun<AppendStepRig> append_run(bool over_a_blob, AppendLease lease, bool resumes) {
    const std::string before = over_a_blob ? "before\n" : "";
    const auto prepare = [=](AppendStepRig& r) {
        if (!over_a_blob) return;
        r.peer_creates();
        r.peer_appends(before);
    };
    const auto run = [=](AppendStepRig& r) {
        return resumes ? append_the_rest(r, kAll) : append_batches(r, lease, kBatches);
    };
    const auto check = [=](AppendStepRig& r, const Disturbed& by, const Status& result) {
        const std::string ours = r.ours();
        CHECK((before + kAll).starts_with(ours));
        CHECK((ours.empty() || ours.ends_with("\n")));
        if (result) CHECK(ours == before + kAll);
        if (result) return;
        CHECK(by.by != By::loss);
        if (by.by == By::kill) CHECK(ours != before + kAll);
        if (by.by != By::kill) CHECK(resumes);  // not the beginning of the source any more
        if (by.by != By::kill) CHECK(result.error().code == ErrorCode::data);
    };
    const auto check_repeat = [=](AppendStepRig& r, const Disturbed&) {
        std::string rest = (before + kAll).substr(r.ours().size());
        if (r.ours().size() < before.size()) rest = kAll;
        if (r.others > 0) return;
        const Status again = resumes ? run(r) : append_batches(r, lease, {rest});
        CAPTURE(why(again));
        if (rest.empty() && !resumes) return;
        CHECK(again);
        CHECK(r.ours() == before + kAll);
        CHECK(r.lease_state() != "leased");
    };
    return {std::string(over_a_blob ? "to a blob" : "to a new blob") + ", lease " +
                std::to_string(static_cast<int>(lease)) + (resumes ? ", resumed" : ""),
            prepare,
            run,
            another_appends,
            check,
            check_repeat};
}

}  // namespace

TEST_CASE("an append that is disturbed at any request has each batch once and in order, and its result is true",
          "[append]") {
    for (const bool over_a_blob : {false, true}) {
        for (const auto lease : {AppendLease::turns, AppendLease::exclusive, AppendLease::none}) {
            disturb_each_request(append_run(over_a_blob, lease, false));
        }
        disturb_each_request(append_run(over_a_blob, AppendLease::exclusive, true));
    }
}

}  // namespace azlock::test
