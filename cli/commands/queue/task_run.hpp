// One attempt of one task: claimed, run under its lease, and what became of it.
#pragma once

#include <optional>
#include <stop_token>
#include <string>

#include "cli/commands/queue/job_signals.hpp"
#include "cli/output/output.hpp"
#include "ops/lock/session.hpp"
#include "ops/queue/finish.hpp"

namespace azlock::cli {

// What every attempt of a worker has in common. Borrowed things outlive the worker.
struct WorkPlan {
    ops::QueueClients clients;
    ops::QueueName queue;
    ops::LockTiming timing;
    ops::Orphans orphans = ops::Orphans::wait;
    std::uint64_t max_attempts = 5;
    std::optional<std::chrono::milliseconds> run_timeout;
    ops::OwnerRecord owner;
    std::string command;  // argv[0], for messages
    // --output-to
    azure::BlobClient* output_client = nullptr;
    azure::BlobAddress output;  // its blob is the prefix, without a slash at its end
};

struct TaskEnd {
    enum class Kind {
        missed,      // somebody else had it
        done,        // finished
        given_back,  // to be tried again
        dead,        // among the dead letters
        lost,        // the lease was lost: it is somebody else's
        unknown      // the service did not answer until the lease had ended
    };
    Kind kind = Kind::missed;
    std::uint64_t attempt = 0;
    std::optional<int> exit_code;  // of the command
    // The worker cannot go on: what to tell, and the exit code where it is not the error's own.
    std::optional<Error> fatal;
    std::optional<int> fatal_code;
};
[[nodiscard]] std::string_view to_string(TaskEnd::Kind kind);

class TaskRun {
  public:
    TaskRun(const WorkPlan& plan, os::Guard& guard, JobSignals& signals, Output& output)
        : plan_(plan),
          guard_(guard),
          signals_(signals),
          output_(output),
          claimer_(plan.clients, plan.timing),
          finisher_(plan.clients) {}

    // nullopt: somebody else was there before. `stop` ends the try for it.
    [[nodiscard]] Result<std::optional<ops::Claim>> claim(const ops::QueueTask& listed, const azure::Call& call);
    [[nodiscard]] TaskEnd run(ops::Claim claim, const azure::Call& call);

  private:
    struct Ran;
    [[nodiscard]] Result<Ran> run_command(ops::Claim& claim);
    [[nodiscard]] TaskEnd settle(ops::Claim& claim, const Ran& ran);
    [[nodiscard]] TaskEnd not_started(ops::Claim& claim, const Ran& ran);
    [[nodiscard]] TaskEnd finish(ops::Claim& claim, const Ran& ran);
    [[nodiscard]] Status upload_output(ops::Claim& claim, const Ran& ran);
    [[nodiscard]] TaskEnd put_back(ops::Claim& claim, bool counts, std::optional<std::chrono::seconds> delay);
    [[nodiscard]] TaskEnd bury(ops::Claim& claim, const std::string& error_tail);
    [[nodiscard]] TaskEnd end_of(const Result<ops::Finished>& result, TaskEnd::Kind done) const;
    [[nodiscard]] TaskEnd before_start(ops::Claim& claim, const Error& error);
    void tell(const ops::Claim& claim, const std::string& text) const;

    const WorkPlan& plan_;
    os::Guard& guard_;
    JobSignals& signals_;
    Output& output_;
    ops::Claimer claimer_;
    ops::Finisher finisher_;
};

}  // namespace azlock::cli
