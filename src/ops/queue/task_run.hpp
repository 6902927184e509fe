// One attempt of one task: claims it, runs the command under its lease, and records the outcome.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "ops/lock/session.hpp"
#include "ops/queue/finish.hpp"
#include "ops/queue/job_signals.hpp"
#include "os/exit_status.hpp"

namespace azlock::ops {

// What all attempts of a worker share. Whatever it refers to must outlive the worker.
struct WorkPlan {
    QueueClients clients;
    QueueName queue;
    LockTiming timing;
    Orphans orphans = Orphans::wait;
    std::uint64_t max_attempts = 5;
    std::optional<std::chrono::milliseconds> run_timeout;
    OwnerRecord owner;
    std::string command;  // argv[0], for messages
    // --output-to
    azure::BlobClient* output_client = nullptr;
    azure::BlobAddress output;  // its blob is the prefix, without a slash at its end
};

// Why a worker cannot go on.
struct WorkerFailure {
    Error error;
    os::StartFailure start_failure = os::StartFailure::none;  // of the command
    bool guard_gone = false;
};

struct TaskEnd {
    enum class Kind {
        missed,      // another worker had it
        done,        // finished
        given_back,  // it will be tried again
        dead,        // among the dead letters
        lost,        // the lease was lost; another worker may have the task
        unknown      // the service did not answer before the lease ended
    };
    Kind kind = Kind::missed;
    std::uint64_t attempt = 0;
    std::optional<int> exit_code;        // of the command
    std::optional<WorkerFailure> fatal;  // set if the worker cannot go on
};
[[nodiscard]] std::string_view to_string(TaskEnd::Kind kind);

class TaskRun {
  public:
    // `tell` gets lines for people, from several threads.
    TaskRun(const WorkPlan& plan, os::Guard& guard, JobSignals& signals, std::function<void(const std::string&)> tell)
        : plan_(plan),
          guard_(guard),
          signals_(signals),
          tell_(std::move(tell)),
          claimer_(plan.clients, plan.timing),
          finisher_(plan.clients) {}

    // nullopt: another worker was faster. The stop token of `call` ends the attempt.
    [[nodiscard]] Result<std::optional<Claim>> claim(const QueueTask& listed, const azure::Call& call);
    [[nodiscard]] TaskEnd run(Claim claim, const azure::Call& call);

  private:
    struct Ran;
    [[nodiscard]] Result<Ran> run_command(Claim& claim);
    [[nodiscard]] TaskEnd after_session(Claim& claim, const Ran& ran);
    [[nodiscard]] TaskEnd not_started(Claim& claim, const Ran& ran);
    [[nodiscard]] TaskEnd finish(Claim& claim, const Ran& ran);
    [[nodiscard]] Status upload_output(Claim& claim, const Ran& ran);
    [[nodiscard]] TaskEnd put_back(Claim& claim, bool counts, std::optional<std::chrono::seconds> delay);
    [[nodiscard]] TaskEnd bury(Claim& claim, const std::string& error_tail);
    [[nodiscard]] TaskEnd end_of(const Result<Finished>& result, TaskEnd::Kind done) const;
    [[nodiscard]] TaskEnd before_start(Claim& claim, const Error& error);
    void tell(const Claim& claim, const std::string& text) const;

    const WorkPlan& plan_;
    os::Guard& guard_;
    JobSignals& signals_;
    std::function<void(const std::string&)> tell_;
    Claimer claimer_;
    Finisher finisher_;
};

}  // namespace azlock::ops
