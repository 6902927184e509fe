// Workers on the queue "box/jobs". Their commands are real; the time is not: pauses cost nothing.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "ops/queue/worker.hpp"
#include "unit/ops/queue/queue_rig.hpp"
#include "unit/told_signals.hpp"

namespace azlock::test {

struct WorkRig : QueueRig {
    // "$0" of the script is the rig's folder.
    explicit WorkRig(const std::string& script, std::size_t jobs = 1, FakeOptions fake = {})
        : QueueRig(std::move(fake)) {
        start({"/bin/sh", "-c", script, dir.path()}, jobs);
    }
    explicit WorkRig(std::vector<std::string> argv) { start(std::move(argv), 1); }

    ops::TaskEnd run_task(ops::Claim claim) {
        return ops::run_task(plan, std::move(claim), guards.front(), signals, tell,
                             {kNoDeadline, signals.stop.get_token()});
    }
    // Leases the task and leaves the rest to run_task().
    ops::Claim lease_task(const std::string& id) {
        auto claimed = claimer.lease(listed(id), {});
        return std::move(claimed.value().value());
    }
    ops::TaskEnd run_task(const std::string& id) { return run_task(lease_task(id)); }
    ops::WorkResult work() {
        const ops::WorkerParts parts{
            guards, signals, deadline, tell,
            [this](const ops::QueueTask& task, const ops::TaskEnd& end, std::chrono::milliseconds) {
                const std::lock_guard lock(mutex);
                ends.push_back(task.id + " " + std::string(to_string(end.kind)));
            }};
        return ops::run_worker(plan, limits, parts);
    }
    // The task as it is in the queue.
    [[nodiscard]] ops::QueueTask task(const std::string& id) { return ops::find_task(peers_queue, id, {}).value(); }
    [[nodiscard]] std::string state(const std::string& id) { return service.peek("box", "jobs/5-" + id)->lease_state; }
    // What the commands have written to a file of the folder.
    [[nodiscard]] std::string written(const std::string& name) const { return read_text_file(dir.file(name)); }

    ToldSignals signals;
    std::vector<os::Guard> guards;
    ops::WorkPlan plan{{timing, ops::Orphans::wait, 5, {}, {}, std::chrono::seconds(1)}, queue, {}};
    ops::WorkLimits limits;
    Deadline deadline = kNoDeadline;

    std::mutex mutex;
    std::string told;
    std::vector<std::string> ends;
    std::function<void(const std::string&)> tell = [this](const std::string& text) {
        const std::lock_guard lock(mutex);
        told += text + "\n";
    };

  private:
    void start(std::vector<std::string> argv, std::size_t jobs) {
        // Guards live in real time. With the fake clock far ahead of it, none of the points that they get comes.
        clock.advance(std::chrono::hours(100'000));
        plan.owner.command = argv.front();
        guards = os::Guard::fork_many(argv, jobs).value();
        limits.drain = true;
    }
};

}  // namespace azlock::test
