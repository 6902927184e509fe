// A move between the queue and its dead letters is killed before each of its requests. Whatever command comes next: the
// task is not lost, it runs once, and no command tells something that is not so.
#include "ops/queue/look.hpp"
#include "support/catch.hpp"
#include "unit/ops/queue/one_task_rig.hpp"

namespace azlock::ops {
namespace {

using std::chrono::seconds;
using test::Place;
using test::why;

struct KillRig : test::OneTaskRig {
    KillRig() { limits.no_wait = true; }

    // Returns how many requests the move needs, if it is not killed.
    std::size_t move(bool revives, std::size_t killed_at) {
        REQUIRE(put("a"));
        const Claim held = dying();
        if (revives) REQUIRE(bury_task(queue, held) == Finished::done);
        const std::size_t before = faulty.requests();
        if (killed_at > 0) faulty.on(test::any_request()).from(killed_at).return_status(403, "Killed");
        const bool done =
            revives ? change(queue, TaskChange::retry, "a").has_value() : bury_task(queue, held).has_value();
        CHECK(done == (killed_at == 0));
        faulty.clear();
        return faulty.requests() - before;
    }
    // The task that was moved ends: by another worker, or because an operator deletes the dead letter.
    void end_copy() {
        for (const char* name : {"jobs/5-a", "jobs.dead/a"}) {
            if (there(name) && field(name, "azl_task_moving").empty()) service.erase("box", name);
        }
    }
    void work_off() {
        const WorkResult result = work();
        INFO(told);
        CHECK(result.outcome);
    }
};

using Check = std::function<void(KillRig&, Place)>;
struct Command {
    const char* name;
    Check run;
};

// A lease that a killed mover has left is an answer, too.
void check_error(const Status& status, std::initializer_list<ErrorCode> allowed) {
    INFO(why(status));
    CHECK_FALSE(status);
    if (!status) CHECK(std::find(allowed.begin(), allowed.end(), status.error().code) != allowed.end());
}

void check_retry(KillRig& r, Place place, const std::string& id) {
    const Status done = r.change(r.peers_queue, TaskChange::retry, id, id.empty());
    INFO(why(done));
    if (place == Place::gone) {
        CHECK_FALSE(r.changed);
        CHECK(done.has_value() == id.empty());
    } else if (done) {
        CHECK(r.place() == Place::queue);
        if (place == Place::dead) CHECK(r.changed);
    } else {
        CHECK((done.error().code == ErrorCode::busy || done.error().code == ErrorCode::not_found));
    }
}

void check_remove(KillRig& r, Place place, bool dead) {
    const bool is_there = place == (dead ? Place::dead : Place::queue);
    const Status done = r.change(r.peers_queue, TaskChange::remove, "a", dead);
    INFO(why(done));
    CHECK(r.changed == done.has_value());
    if (done) CHECK((is_there && r.place() == Place::gone));
    if (!done && !is_there) CHECK(done.error().code == ErrorCode::not_found);
    if (!done && is_there) check_error(done, {ErrorCode::busy, ErrorCode::precondition});
}

const std::vector<Command>& commands() {
    static const std::vector<Command> all{
        {"put --id",
         [](KillRig& r, Place place) {
             const auto put = r.put_by_id(r.peers_queue, false);
             INFO(why(put));
             CHECK(put.has_value() == (place == Place::gone));
             if (!put) CHECK(put.error().code == ErrorCode::precondition);
         }},
        {"put --id --if-absent",
         [](KillRig& r, Place place) {
             const auto put = r.put_by_id(r.peers_queue, true);
             INFO(why(put));
             REQUIRE(put);
             CHECK(*put == (place == Place::gone));
             CHECK(r.place() != Place::gone);
         }},
        {"retry ID", [](KillRig& r, Place place) { check_retry(r, place, "a"); }},
        {"retry --dead", [](KillRig& r, Place place) { check_retry(r, place, ""); }},
        {"list and stats",
         [](KillRig& r, Place place) {
             CHECK(list_tasks(r.peers_queue, {}, {})->size() == (place == Place::queue ? 1 : 0));
             CHECK(list_tasks(r.peers_queue, {true}, {})->size() == (place == Place::dead ? 1 : 0));
             const auto counts = count_tasks(r.peers_queue, {}).value();
             CHECK(counts.dead == (place == Place::dead ? 1 : 0));
             CHECK(counts.ready + counts.running + counts.delayed == (place == Place::queue ? 1 : 0));
         }},
        {"show and peek",
         [](KillRig& r, Place place) {
             for (const bool dead : {false, true}) {
                 const auto seen = look_at_task(r.peers_queue, {"a", dead}, {});
                 INFO(why(seen));
                 CHECK(seen.has_value() == (place == (dead ? Place::dead : Place::queue)));
                 if (!seen) continue;
                 CHECK(peek_whole_task(r.peers_queue, {"a", dead}, [](const QueueTask&) {}, {})->content ==
                       "content of a");
             }
         }},
        {"delete", [](KillRig& r, Place place) { check_remove(r, place, false); }},
        {"delete --dead", [](KillRig& r, Place place) { check_remove(r, place, true); }},
        {"kick",
         [](KillRig& r, Place place) {
             const Status done = r.change(r.peers_queue, TaskChange::kick, "a");
             INFO(why(done));
             if (done) CHECK(place == Place::queue);
             if (!done && place != Place::queue) CHECK(done.error().code == ErrorCode::not_found);
         }},
        {"work",
         [](KillRig& r, Place place) {
             const WorkResult result = r.work();
             INFO(r.told);
             CHECK(result.outcome);
             // A task that must die runs no more.
             const bool died = place == Place::queue && r.place() == Place::dead;
             CHECK(result.totals.dead <= (place == Place::gone ? 0 : 1));
             if (died) CHECK(result.totals.dead == 1);
             CHECK(result.totals.lost == 0);
             CHECK(result.totals.given_back == 0);
         }},
    };
    return all;
}

}  // namespace

TEST_CASE("a move that is killed anywhere loses nothing, and every command after it tells the truth") {
    for (const bool revives : {false, true}) {
        const std::size_t requests = KillRig().move(revives, 0);
        CHECK(requests >= 5);
        for (std::size_t kill = 1; kill <= requests; ++kill) {
            for (const char* then : {"at once", "after the lease", "after the copy has ended"}) {
                for (const Command& command : commands()) {
                    KillRig r;
                    r.move(revives, kill);
                    INFO((revives ? "retry" : "burial") << " killed before request " << kill << " of " << requests
                                                        << ", " << then << ": " << command.name);
                    const std::string_view when = then;
                    if (when != "at once") r.clock.advance(seconds(61));
                    if (when == "after the copy has ended") r.end_copy();
                    const Place place = r.place();
                    const std::size_t ran = r.runs();
                    command.run(r, place);
                    const bool wanted = r.place() != Place::gone;
                    // Later everything is worked off, by whatever it needs.
                    r.clock.advance(seconds(61));
                    r.work_off();
                    CHECK(r.change(r.peers_queue, TaskChange::retry, "", true));
                    r.work_off();
                    const bool ran_in_command = std::string_view(command.name) == "work" && !wanted;
                    CHECK(r.runs() == ran + (wanted || (ran_in_command && place == Place::queue) ? 1 : 0));
                    CHECK(count_tasks(r.peers_queue, {})->dead == 0);
                    CHECK(r.put_by_id(r.peers_queue, true).value());  // the id is free
                    r.work_off();
                    CHECK_FALSE(r.there("jobs/5-a"));
                }
            }
        }
    }
}

}  // namespace azlock::ops
