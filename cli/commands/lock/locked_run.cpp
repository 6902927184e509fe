#include "cli/commands/lock/locked_run.hpp"

#include <cstring>

#include <sys/wait.h>

#include "base/http_date.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"
#include "cli/output/exit_code.hpp"
#include "ops/lease/refusal.hpp"
#include "os/shell.hpp"

namespace azlock::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Outcome = ops::SessionOutcome::Kind;

constexpr seconds kTimeToStop{4};
constexpr seconds kReleaseTime{10};
constexpr seconds kRecordTime{10};

int code_of(int wait_status) {
    return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

milliseconds since(BootTime start, const Clock& clock) {
    return std::chrono::duration_cast<milliseconds>(clock.now() - start);
}

}  // namespace

LockRound::LockRound(const LockOptions& options, Context& context, Opened many, Opened single, ops::LockName name,
                     const ops::LockTiming& timing, ops::OwnerRecord owner, StatusFile status)
    : options_(&options),
      context_(&context),
      many_(std::move(many)),
      single_(std::move(single)),
      name_(std::move(name)),
      timing_(timing),
      owner_(std::move(owner)),
      status_file_(std::move(status)),
      begun_(context.clock().now()) {
    status_.name = options.name;
}

Result<LockRound> LockRound::open(const LockOptions& o, Context& context) {
    context.take_time_to_stop(kTimeToStop);
    const auto timing = lock_timing(o);
    if (!timing) return fail(timing.error());
    auto owner = lock_owner(o, context.command_line().front());
    if (!owner) return fail(owner.error());
    auto many = context.open(lock_target(o));
    if (!many) return fail(many.error());
    auto single = context.open_single(lock_target(o));
    if (!single) return fail(single.error());
    auto name = lock_name(o, many->address);
    if (!name) return fail(name.error());
    auto status = StatusFile::create(o.status_file);
    if (!status) return fail(status.error());
    LockRound out(o, context, std::move(*many), std::move(*single), std::move(*name), *timing, std::move(*owner),
                  std::move(*status));
    out.status_.url = out.url_of(out.name_.base);
    if (auto ok = out.status_file_.write(out.status_); !ok) return fail(ok.error());
    return out;
}

std::string LockRound::url_of(const azure::BlobAddress& blob) const {
    const azure::Endpoint& endpoint = many_.client().endpoint();
    return endpoint.origin.to_string() + azure::path_of(endpoint, blob);
}

void LockRound::note() {
    if (auto ok = status_file_.write(status_); !ok) context_->output().error(ok.error());
}

LockRound::End LockRound::run(const ops::WaitPlan& plan) {
    begun_ = context_->clock().now();
    if (!options_->no_reentrant) {
        if (const auto outer = outer_lock()) return run_inside(*outer);
    }
    auto held = acquire(plan);
    status_.waited = since(begun_, context_->clock());
    if (!held) return before_start(held.error());
    status_.slot = held->slot;
    status_.url = url_of(held->blob);
    HeldEntry entry{options_->name, status_.url, held->lease_id, "", held->slot};
    // A slot's fence says nothing about the holders of other slots.
    if (name_.slots == 1) {
        entry.fence = std::to_string(held->fence);
        status_.fence = held->fence;
    }
    End end = run_command(&*held, entry);
    end.held = true;
    return end;
}

// The lock that this process already runs under, if it is this one.
std::optional<HeldEntry> LockRound::outer_lock() const {
    for (const HeldEntry& entry : held_locks()) {
        for (std::uint64_t slot = 0; slot < name_.slots; ++slot) {
            if (entry.url == url_of(name_.slot(slot))) return entry;
        }
    }
    return std::nullopt;
}

LockRound::End LockRound::run_inside(const HeldEntry& outer) {
    const azure::BlobAddress blob = name_.slot(outer.slot);
    const auto renewed = many_.client().renew_lease(blob, outer.lease_id, {}, context_->call());
    if (!renewed && ops::is_definitive(renewed.error())) {
        Error error = renewed.error();
        error.message = "the outer lock " + printable(options_->name) + " was lost: " + error.message;
        End end = before_start(std::move(error));
        end.code = kExitLost;
        return end;
    }
    if (!renewed) return before_start(renewed.error());
    status_.slot = outer.slot;
    status_.url = outer.url;
    status_.fence = parse_u64(outer.fence);
    return run_command(nullptr, outer);
}

Result<ops::HeldLock> LockRound::acquire(const ops::WaitPlan& plan) {
    ops::Acquirer acquirer(many_.client(), single_.client(), name_, timing_, !options_->no_quarantine);
    const auto tell = [this](const std::string& text) { context_->output().notice(text); };
    for (;;) {
        auto held =
            ops::wait_for_lock(acquirer, plan, context_->clock(), many_.client().random(), tell, context_->call());
        if (!held) return held;
        Status ready = prepare(*held);
        if (ready) return held;
        if (!ops::is_definitive(ready.error())) return fail(ready.error());
        context_->output().notice("the lock was taken away before the command started; trying again");
    }
}

// What comes between the lease and the command. On an error the lease is given back, unless nobody may have it yet.
Status LockRound::prepare(ops::HeldLock& held) {
    ops::Acquirer acquirer(many_.client(), single_.client(), name_, timing_, true);
    const azure::Call call = context_->call();
    if (held.quarantine.count() > 0) {
        context_->output().notice("the former holder's lease was broken and it may not know yet; waiting " +
                                  format_duration(held.quarantine) + " until its command has surely ended");
        if (auto ok = acquirer.sit_out_quarantine(held, call); !ok) return ok;
    }
    owner_.since = held.date.value_or(context_->clock().wall());
    Status ready = acquirer.write_record(held, owner_, call);
    if (ready && context_->clock().now() > held.acquired.boot + timing_.renew_every())
        ready = acquirer.renew(held, call);
    if (!ready) (void)acquirer.release(held, context_->last_call(seconds(2)));
    return ready;
}

LockRound::End LockRound::run_command(const ops::HeldLock* held, const HeldEntry& entry) {
    std::vector<std::string> environment = lock_environment(held_locks(), entry);
    environment.push_back("AZLOCK_STATUS_FILE=" + status_file_.path());
    if (held != nullptr) environment.push_back("AZLOCK_KEEPER=" + status_file_.keeper_path());
    const BootTime start = context_->clock().now();

    ops::SessionOptions session;
    session.timing = timing_;
    session.orphans = orphans_of(*options_);
    session.run_timeout = options_->run_timeout;
    session.gives_terminal = options_->gives_terminal;
    session.environment_changes = std::move(environment);
    session.tell = [output = &context_->output()](const std::string& text) { output->notice(text); };
    session.on_term_point = [this](BootTime term_at) { status_file_.set_term_point(term_at); };
    session.on_started = [this](pid_t pid) {
        status_.pid = pid;
        status_.outcome = "held";
        note();
    };
    session.rewrite_record = [this, held](std::stop_token stop) {
        ops::Acquirer acquirer(many_.client(), single_.client(), name_, timing_, true);
        (void)acquirer.write_record(*held, owner_, {context_->clock().after(kRecordTime), std::move(stop)});
    };
    const ops::SessionOutcome outcome =
        ops::run_session(context_->guard(), context_->signals(), single_.client(), held, session);
    if (held != nullptr) release(*held, outcome);
    status_.held = since(start, context_->clock());
    End end = end_of(outcome);
    end.ran = *status_.held;
    status_.exit_code = end.code;
    note();
    if (end.lost) after_loss(entry);
    return end;
}

void LockRound::release(const ops::HeldLock& held, const ops::SessionOutcome& outcome) {
    if (!outcome.nothing_left) {
        context_->output().notice("processes of the command are left; the lock is not released but ends by itself");
        return;
    }
    // Also after a loss: it may still be ours, and being released it tells the next one that all is well.
    const auto released = many_.client().release_lease(held.blob, held.lease_id, {}, context_->last_call(kReleaseTime));
    if (released || outcome.kind == Outcome::lost) return;
    context_->output().notice("could not release the lock: " + released.error().message +
                              "; it ends by itself within " +
                              format_duration(std::chrono::duration_cast<milliseconds>(timing_.ttl)));
}

LockRound::End LockRound::end_of(const ops::SessionOutcome& outcome) {
    End end;
    status_.wait_status = outcome.wait_status;
    status_.reason = outcome.why;
    end.interrupted = outcome.interrupted;
    end.nothing_left = outcome.nothing_left;
    switch (outcome.kind) {
        case Outcome::ran:
            status_.outcome = "ran";
            end.code = outcome.wait_status ? code_of(*outcome.wait_status) : kExitBug;
            return end;
        case Outcome::timed_out:
            status_.outcome = "timeout";
            end.code = kExitTimedOut;
            return end;
        case Outcome::lost:
            status_.outcome = "lost";
            end.lost = true;
            end.code = kExitLost;
            end.error = make_error(ErrorCode::precondition, "the lock " + printable(options_->name) + " was lost: " +
                                                                outcome.why + "; the command was ended");
            return end;
        case Outcome::not_started: break;
    }
    if (outcome.signal != 0) {
        status_.outcome = "signalled";
        end.code = 128 + outcome.signal;
        end.error = make_error(ErrorCode::cancelled, "stopped by a signal before the command was started");
        return end;
    }
    status_.outcome = "not_started";
    end.code = !outcome.at_exec ? kExitCannotStart : (outcome.error == ENOENT ? kExitNotFound : kExitNotExecutable);
    end.error = make_error(ErrorCode::input_missing,
                           "cannot run '" + printable(context_->command_line().front()) + "': " + outcome.why);
    return end;
}

LockRound::End LockRound::before_start(Error error) {
    End end;
    const int signal = context_->signals().received();
    status_.outcome = error.code == ErrorCode::busy ? "busy" : (signal != 0 ? "signalled" : "error");
    if (signal != 0 && error.code == ErrorCode::unavailable) error.code = ErrorCode::cancelled;
    status_.reason = error.message;
    if (error.code == ErrorCode::busy && options_->busy_code) end.code = options_->busy_code;
    status_.exit_code = end.code.value_or(exit_code(error, signal));
    note();
    end.error = std::move(error);
    return end;
}

void LockRound::after_loss(const HeldEntry& lock) {
    if (options_->on_lost.empty()) return;
    context_->signals().hand_over({});  // a stop ends the wait for a command that hangs
    std::vector<std::string> environment = lost_lock_environment(lock);
    environment.push_back("AZLOCK_STATUS_FILE=" + status_file_.path());
    const auto ran = os::run_shell(options_->on_lost, environment);
    if (!ran) {
        context_->output().error(ran.error());
    } else if (*ran != 0) {
        context_->output().notice("--on-lost ended with code " + std::to_string(code_of(*ran)));
    }
}

}  // namespace azlock::cli
