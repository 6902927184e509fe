// A queue "box/jobs" on the fake service: our requests go through the scripted faults, a peer's do not.
#pragma once

#include <memory>
#include <string>

#include "ops/queue/find.hpp"
#include "ops/queue/finish.hpp"
#include "ops/queue/move.hpp"
#include "ops/queue/put.hpp"
#include "unit/azure/pipeline_rig.hpp"
#include "unit/rig.hpp"

namespace azlock::test {

struct QueueRig : Rig {
    explicit QueueRig(FakeOptions options = {})
        : Rig(std::move(options)),
          single_pipeline(faulty, clock, random, azure::Credential::shared_key(kRigAccount, Secret(kFakeKey)).value(),
                          options_with(1)),
          single(single_pipeline, us.client().endpoint()) {}

    Result<bool> put(const std::string& id, int priority = ops::kDefaultPriority,
                     std::optional<WallTime> due = std::nullopt) {
        ops::NewTask task;
        task.id = id;
        task.priority = priority;
        task.key = ops::new_task_key(random);
        task.due = due;
        const auto put = ops::put_task(queue, task, http::make_body("content of " + id), {});
        if (!put) return fail(put.error());
        return put->has_value();
    }
    // The task as a worker finds it: also what is left of one that has moved.
    ops::QueueTask listed(const std::string& id) {
        const auto tasks = ops::list_tasks(peers_queue, {false, "", true}, {}).value();
        for (const ops::QueueTask& task : tasks) {
            if (task.id == id) return task;
        }
        throw std::runtime_error("there is no task " + id);
    }
    // Claims a task as a worker does: lists it, leases it, reads it, counts the attempt.
    ops::Claim claim(const std::string& id) {
        auto claimed = claimer.lease(listed(id), {});
        if (!claimed || !*claimed) throw std::runtime_error("not claimed: " + why(claimed));
        if (auto ok = claimer.read_content(**claimed, {}); !ok) throw std::runtime_error(why(ok));
        if (auto ok = claimer.begin_attempt(**claimed, {}, {}); !ok) throw std::runtime_error(why(ok));
        return std::move(**claimed);
    }
    // The same by a peer, and only the lease.
    ops::Claim claim_unscripted(const std::string& id) {
        auto claimed = ops::Claimer(peers_queue, timing).lease(listed(id), {});
        if (!claimed || !*claimed) throw std::runtime_error("not claimed: " + why(claimed));
        return std::move(**claimed);
    }
    [[nodiscard]] bool there(const std::string& name) { return service.peek("box", name).has_value(); }
    [[nodiscard]] std::string field(const std::string& where, const std::string& name) {
        const auto found = service.peek("box", where);
        return found && found->metadata.contains(name) ? found->metadata.at(name) : "";
    }

    SeededRandom random{3};
    azure::Pipeline single_pipeline;
    azure::BlobClient single;
    ops::Queue queue{{"box", "jobs"}, us.client(), single, {}};
    ops::Queue peers_queue{queue.name, peer.client(), peer.client(), {}};
    ops::LockTiming timing = ops::make_lock_timing(std::chrono::seconds(15), {}).value();
    ops::Claimer claimer{queue, timing};
};

}  // namespace azlock::test
