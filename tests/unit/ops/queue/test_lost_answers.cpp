// The answer to each request of each command is lost, carried out or not, once or several times in a row. Afterwards
// the task exists once or is done, the command has told the truth, and a repeat of it finishes the work.
#include "unit/each_request.hpp"
#include "unit/ops/queue/one_task_rig.hpp"

namespace azlock::ops {
namespace {

using std::chrono::seconds;
using test::OneTaskRig;
using test::Place;
using test::why;

struct Deed {
    const char* name;
    int exit_code;                              // of the task's command
    std::function<void(OneTaskRig&)> prepare;   // unscripted
    std::function<Status(OneTaskRig&)> run;     // an error: what the user is told
    std::function<bool(OneTaskRig&)> has_done;  // what it is for
    bool works = false;                         // it is a worker: its error is not about one task
};

void with_task(OneTaskRig& r) {
    REQUIRE(r.put_by_id(r.peers_queue, false).value());
}

void with_delayed(OneTaskRig& r) {
    PutOptions options;
    options.id = "a";
    options.delay = std::chrono::hours(1);
    REQUIRE(r.put_from(r.peers_queue, options, "content of a"));
}

void with_dead(OneTaskRig& r) {
    with_task(r);
    REQUIRE(bury_task(r.peers_queue, r.dying()) == Finished::done);
}

Status status_of(const Result<bool>& result) {
    return result ? Status() : fail(result.error());
}

Status work_as_asked(OneTaskRig& r) {
    return r.work().outcome;
}

// How many blobs are there with this content.
std::size_t blobs_with(OneTaskRig& r, const std::string& content) {
    std::size_t count = 0;
    const auto all = r.peer.client().list_blobs("box", {}, {}).value();
    for (const auto& blob : all.blobs) {
        if (r.service.content("box", blob.name) == content) ++count;
    }
    return count;
}

Status put_two_lines(OneTaskRig& r) {
    PutOptions options;
    options.lines = true;
    options.batch = "b";
    return status_of(r.put_from(r.queue, options, "one\ntwo\n"));
}

bool has_two_lines(OneTaskRig& r) {
    const auto tasks = list_tasks(r.peers_queue, {}, {}).value();
    std::string all;
    for (const QueueTask& task : tasks) all += r.service.content("box", task.blob.blob).value();
    return all == "onetwo";
}

Deed by_operator(const char* name, void (*prepare)(OneTaskRig&), TaskChange what, const char* id, bool dead,
                 Place result) {
    return {name, 0, prepare, [=](OneTaskRig& r) { return r.change(r.queue, what, id, dead); },
            [=](OneTaskRig& r) { return r.place() == result && r.field("jobs/5-a", "azl_task_due").empty(); }};
}

std::vector<Deed> deeds() {
    const auto nothing = [](OneTaskRig&) {};
    const auto is_done = [](OneTaskRig& r) { return r.place() == Place::gone; };
    const auto is_dead = [](OneTaskRig& r) { return r.place() == Place::dead; };
    return {
        {"put --id", 0, nothing, [](OneTaskRig& r) { return status_of(r.put_by_id(r.queue, true)); },
         [](OneTaskRig& r) { return r.place() == Place::queue; }},
        {"put --delay", 0, nothing,
         [](OneTaskRig& r) {
             PutOptions options;
             options.id = "a";
             options.delay = seconds(10);
             options.if_absent = options.create_container = true;
             return status_of(r.put_from(r.queue, options, "content of a"));
         },
         [](OneTaskRig& r) { return !r.field("jobs/5-a", "azl_task_due").empty(); }},
        {"put --batch", 0, nothing, put_two_lines, has_two_lines},
        {"work: done", 0, with_task, work_as_asked, is_done, true},
        {"work: done after a renew", 0,
         [](OneTaskRig& r) {
             with_task(r);
             r.slow_content = true;
         },
         work_as_asked, is_done, true},
        {"work: failed twice", 9,
         [](OneTaskRig& r) {
             with_task(r);
             r.plan.max_attempts = 2;
         },
         work_as_asked, is_dead, true},
        {"work: later", 75, with_task, work_as_asked,
         [](OneTaskRig& r) { return r.place() == Place::queue && !r.field("jobs/5-a", "azl_task_due").empty(); }, true},
        {"work: dead at once", 65, with_task, work_as_asked, is_dead, true},
        {"work --output-to", 0,
         [](OneTaskRig& r) {
             with_task(r);
             r.plan.output.emplace(OutputPlace{r.us.client(), {"box", "out", {}}});
         },
         work_as_asked,
         [](OneTaskRig& r) {
             const std::size_t outputs = blobs_with(r, "");
             return r.place() == Place::gone && outputs > 0 && outputs <= r.runs();
         },
         true},
        by_operator("retry --dead", with_dead, TaskChange::retry, "", true, Place::queue),
        by_operator("retry ID", with_dead, TaskChange::retry, "a", false, Place::queue),
        by_operator("kick ID", with_delayed, TaskChange::kick, "a", false, Place::queue),
        by_operator("kick --all", with_delayed, TaskChange::kick, "", false, Place::queue),
        by_operator("delete ID", with_task, TaskChange::remove, "a", false, Place::gone),
        by_operator("delete --dead ID", with_dead, TaskChange::remove, "a", true, Place::gone),
        by_operator("delete --dead --all", with_dead, TaskChange::remove, "", true, Place::gone)};
}

// Never a task beside its dead letter, and never two of either.
void check_once(OneTaskRig& r) {
    const auto counts = count_tasks(r.peers_queue, {}).value();
    CHECK(counts.ready + counts.delayed + counts.running + counts.dead == (r.place() == Place::gone ? 0 : 1));
}

void check_deed(const Deed& deed, const test::Loss& loss, std::size_t request, std::size_t runs) {
    CAPTURE(deed.name, loss.name, loss.times, request);
    OneTaskRig r(deed.exit_code);
    r.faulty.report_to([](const std::string&) {});
    deed.prepare(r);
    const bool is_batch = std::string_view(deed.name) == "put --batch";
    loss.fault(r.faulty.on(test::any_request()).nth(request, loss.times));
    r.slow_down();
    const Status first = deed.run(r);
    INFO(r.told);
    CAPTURE(why(first));
    if (!is_batch) check_once(r);
    if (first) CHECK(deed.has_done(r));
    if (!first) {
        CHECK(first.error().code == ErrorCode::unavailable);
        CHECK((deed.works || first.error().may_have_applied || !deed.has_done(r)));
    }
    if (loss.times == 1) CHECK(r.runs() <= runs + (loss.late ? 1 : 0));
    r.faulty.clear();
    r.clock.advance(seconds(61));
    const Status again = deed.run(r);
    CAPTURE(why(again));
    CHECK(deed.has_done(r));
    if (!is_batch) check_once(r);
    if (!again) CHECK(again.error().code == ErrorCode::not_found);  // it is done already
    CHECK(count_tasks(r.peers_queue, {}).value().running == 0);
}

}  // namespace

TEST_CASE("a lost answer to any request of a queue command costs no task, doubles none, and is told as it is") {
    for (const Deed& deed : deeds()) {
        DYNAMIC_SECTION(deed.name) {
            OneTaskRig undisturbed(deed.exit_code);
            deed.prepare(undisturbed);
            undisturbed.slow_down();
            undisturbed.service.clear_log();
            REQUIRE(deed.run(undisturbed));
            REQUIRE(deed.has_done(undisturbed));
            const std::size_t runs = undisturbed.runs();
            test::for_each_loss(undisturbed.service.log(), [&](const test::Loss& loss, std::size_t request) {
                check_deed(deed, loss, request, runs);
            });
        }
    }
}

}  // namespace azlock::ops
