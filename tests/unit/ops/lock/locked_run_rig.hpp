// A lock "box/name" on the fake service. Its command is real, and its guard; only the time is not: waits cost nothing.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "ops/lock/locked_run.hpp"
#include "unit/azure/pipeline_rig.hpp"
#include "unit/environment.hpp"
#include "unit/rig.hpp"
#include "unit/told_signals.hpp"

namespace azlock::test {

struct LockedRunRig : Rig {
    // "$0" of the script is the rig's folder.
    explicit LockedRunRig(const std::string& script = "exit 3")
        : LockedRunRig(std::vector<std::string>{"/bin/sh", "-c", script}, true) {}
    explicit LockedRunRig(std::vector<std::string> argv, bool with_folder = false) {
        // Guards live in real time. With the fake clock far ahead of it, none of the points that they get comes.
        clock.advance(std::chrono::hours(100'000));
        if (with_folder) argv.push_back(dir.path());
        guards = os::Guard::fork_many(argv, 1).value();
        options.name = "name";
        options.blobs.first = {"box", "name", {}};
        options.timing = ops::make_lock_timing(std::chrono::seconds(60), {}).value();
        options.owner.owner = "deploy";
        options.command = argv.front();
    }

    ops::LockedRun make() {
        return ops::LockedRun::make(options, {us.client(),
                                              single.client(),
                                              guards.front(),
                                              signals,
                                              {deadline, signals.stop.get_token()},
                                              [this](const std::string& text) {
                                                  const std::lock_guard lock(mutex);
                                                  told += text + "\n";
                                                  if (on_tell) on_tell(text);
                                              },
                                              [this](const ops::LockStatus& status) {
                                                  started.push_back(status);
                                                  if (on_start) on_start();
                                              },
                                              [this](const ops::LockStatus& status, const ops::LockedRunEnd&) {
                                                  outcomes.push_back(status.outcome);
                                                  if (on_end) on_end();
                                              }})
            .value();
    }
    ops::LockedRunEnd run(const ops::WaitPlan& plan = {}) { return make().run(plan); }

    [[nodiscard]] std::string state(const std::string& name = "name") { return service.peek("box", name)->lease_state; }
    // Somebody else acquires the lease, and it ends by itself.
    void taken_by_peer(const std::string& name = "name") {
        if (!peer.client().acquire_lease({"box", name, {}}, 15, {}, {}, {})) throw std::runtime_error("not acquired");
    }
    void broken_by_peer() {
        if (!peer.client().break_lease({"box", "name", {}}, 0, {}, {})) throw std::runtime_error("not broken");
    }
    // What the command has written to a file of the folder.
    [[nodiscard]] std::string written(const std::string& name) const { return read_text_file(dir.file(name)); }

    Environment environment;
    ToldSignals signals;
    Actor single{faulty, clock, 3, kRigAccount, options_with(1)};
    std::vector<os::Guard> guards;
    ops::LockedRunOptions options;
    Deadline deadline = kNoDeadline;

    std::mutex mutex;
    std::string told;
    std::vector<ops::LockStatus> started;  // a command
    std::vector<std::string> outcomes;
    std::function<void(const std::string&)> on_tell;
    std::function<void()> on_start;
    std::function<void()> on_end;
};

}  // namespace azlock::test
