// Where the outputs of tasks go.
#include "azure/names.hpp"
#include "ops/queue/output.hpp"
#include "support/catch.hpp"
#include "support/scripted_transport.hpp"
#include "unit/ops/queue/work_rig.hpp"

namespace azlock::ops {

TEST_CASE("outputs go below a prefix, which may be given with a slash at its end") {
    test::QueueRig rig;
    const auto place = [&](const std::string& blob) {
        return output_place(rig.queue, rig.us.client(), {"box", blob, {}});
    };
    CHECK(place("results").value().prefix.blob == "results");
    CHECK(place("a/results//").value().prefix.blob == "a/results");
    for (const char* none : {"", "/", "//"}) {
        CHECK(place(none).error().code == ErrorCode::usage);
    }
}

TEST_CASE("outputs do not go to a folder of the queue itself, where they could become tasks") {
    test::QueueRig rig;
    const auto place = [&](const std::string& container, const std::string& blob) {
        return output_place(rig.queue, rig.us.client(), {container, blob, {}});
    };
    for (const char* own : {"jobs", "jobs/", "jobs.dead", "jobs.batches"}) {
        CHECK(place("box", own).error().code == ErrorCode::usage);
    }
    CHECK(place("box", "jobs/out"));
    CHECK(place("box", "jobs.out"));
    CHECK(place("another", "jobs"));
}

TEST_CASE("a prefix that leaves no room for the names of outputs is refused") {
    test::QueueRig rig;
    const auto place = [&](std::size_t length) {
        return output_place(rig.queue, rig.us.client(), {"box", std::string(length, 'x'), {}});
    };
    CHECK(place(985));
    CHECK(place(986).error().code == ErrorCode::usage);
}

TEST_CASE(
    "an upload of an output without the service's answer is looked up, and the task is done if it was carried out") {
    test::WorkRig r("echo out");
    r.plan.output.emplace(OutputPlace{r.us.client(), {"box", "results", {}}});
    REQUIRE(r.put("a"));
    const bool carried_out = GENERATE(true, false);
    const bool page = GENERATE(true, false);
    const auto of_output = [](const http::Request& request) {
        return test::operation("Put Blob")(request) && request.path.ends_with("/results/a.1");
    };
    r.faulty.on(of_output).from(1).with("no answer of the service", [&](const test::FaultCall& call) {
        if (carried_out) (void)call.forward(call.request);
        if (page) return Result<http::Response>(test::foreign_answer(409));
        Error broken = make_error(ErrorCode::unavailable, "scripted");
        broken.fault = TransportFault::reset;
        broken.retryable = broken.may_have_applied = true;
        return Result<http::Response>(fail(broken));
    });
    const WorkResult result = r.work();
    INFO(r.told);
    CHECK(result.outcome.has_value() == carried_out);
    CHECK(result.totals.done == (carried_out ? 1 : 0));
    CHECK(r.there("jobs/5-a") != carried_out);
    CHECK(r.service.content("box", "results/a.1").value_or("") == (carried_out ? "out\n" : ""));
    if (!carried_out) CHECK(result.outcome.error().code == ErrorCode::unavailable);
}

TEST_CASE("a task whose id leaves no room for the name of its output is done, and the name has what fits of the id") {
    test::WorkRig r("echo out");
    r.plan.output.emplace(OutputPlace{r.us.client(), {"box", "results", {}}});
    // Two bytes and one character each.
    std::string id;
    for (int i = 0; i < 1017; ++i) id += "\xC3\xA9";
    for (const std::string& name : {id, std::string("tab\tname"), std::string("short")}) {
        r.service.put("box", "jobs/5-" + name, "content");
    }
    const WorkResult result = r.work();
    INFO(r.told);
    CHECK(result.outcome);
    CHECK(result.totals.done == 3);
    azure::ListOptions below;
    below.prefix = "results/";
    const auto outputs = r.peer.client().list_blobs("box", below, {}).value().blobs;
    REQUIRE(outputs.size() == 3);
    CHECK(outputs[0].name == "results/short.1");
    CHECK(outputs[1].name.starts_with("results/tab."));
    CHECK(outputs[2].name.starts_with("results/" + id.substr(0, 1900)));
    for (const auto& output : outputs) {
        CHECK(azure::check_blob_name(output.name));
        CHECK(r.service.content("box", output.name) == "out\n");
    }
}

}  // namespace azlock::ops
