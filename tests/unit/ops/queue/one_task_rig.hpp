// One task "a" of the queue "box/jobs", whose command notes each of its runs, and the commands that work on it.
#pragma once

#include <functional>

#include <fcntl.h>

#include "ops/queue/operator.hpp"
#include "ops/queue/put_input.hpp"
#include "unit/ops/queue/work_rig.hpp"

namespace azlock::test {

// Where the task is, by the marks.
enum class Place { queue, dead, gone };

struct OneTaskRig : WorkRig {
    // The command notes that it runs, and ends with this code.
    explicit OneTaskRig(int exit_code = 0) : WorkRig(R"(printf x >> "$0/ran"; exit )" + std::to_string(exit_code)) {
        (void)dir.write("ran", "");
    }

    [[nodiscard]] Place place() {
        const auto is = [&](const char* name, const char* mark) {
            return there(name) && field(name, "azl_task_moving") == mark;
        };
        const auto there_from = [&](const char* name, const char* other) {
            return is(name, "") || (is(name, "left") && is(other, "arriving"));
        };
        if (there_from("jobs/5-a", "jobs.dead/a")) return Place::queue;
        return there_from("jobs.dead/a", "jobs/5-a") ? Place::dead : Place::gone;
    }
    [[nodiscard]] std::size_t runs() const { return read_text_file(dir.file("ran")).size(); }

    // The task as it is after its last attempt, which has ended with exit code 65.
    ops::Claim dying() {
        ops::Claim held = claim("a");
        held.task.died = clock.wall();
        held.task.why = "exit code 65";
        return held;
    }
    // Without an id: all tasks that the change is for.
    Status change(const ops::Queue& with, ops::TaskChange what, const std::string& id, bool dead = false) {
        changed = false;
        ops::ChangeOptions options;
        if (!id.empty()) options.ids = {id};
        options.dead = dead;
        options.all = id.empty() && what != ops::TaskChange::retry;
        return ops::change_tasks(with, what, options, {},
                                 {[&](const ops::QueueTask&) -> Status {
                                      changed = true;
                                      return {};
                                  },
                                  [](const Error&) {}});
    }
    // True: all were put. False: some of them were there.
    Result<bool> put_from(const ops::Queue& with, const ops::PutOptions& options, const std::string& content) {
        const Fd input(::open(dir.write("input", content).c_str(), O_RDONLY | O_CLOEXEC));
        bool put = true;
        const ops::PutReport report = [&](const std::string&, bool existed) -> Status {
            put = put && !existed;
            return {};
        };
        if (auto ok = ops::put_input(with, options, input.get(), "the input", {}, report); !ok) return fail(ok.error());
        return put;
    }
    Result<bool> put_by_id(const ops::Queue& with, bool if_absent) {
        ops::PutOptions options;
        options.id = "a";
        options.if_absent = if_absent;
        return put_from(with, options, "content of a");
    }

    // The content takes so long that the lease must be renewed. Call it after faults are scripted.
    void slow_down() {
        if (slow_content) faulty.on("Get Blob").from(1).delay(std::chrono::seconds(4));
    }

    bool changed = false;
    bool slow_content = false;
};

}  // namespace azlock::test
