#include "ops/lock/session.hpp"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <new>
#include <system_error>
#include <utility>

#include <poll.h>

#include "base/system_limit.hpp"
#include "base/within_limits.hpp"
#include "ops/lock/job_control.hpp"
#include "ops/lock/left_running.hpp"
#include "ops/lock/session_lease.hpp"

namespace azlock::ops {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Order = os::Order;
using Report = os::Report;

// The guard must report within this time after the KILL point that nothing is left.
constexpr seconds kGuardGrace{1};
constexpr milliseconds kOrphansTold{300};
constexpr int kShortageMs = 20;
// How often azlock looks whether the guard is stopped, then how often it continues one that is stopped again at once.
constexpr int kLookMs = 1000;
constexpr int kAgainMs = 100;
constexpr int kMostStops = 20;

class Session {
  public:
    Session(os::Guard& guard, os::SignalSource& signals, azure::BlobClient& single, const HeldLease* held,
            const SessionOptions& options)
        : guard_(guard),
          signals_(signals),
          clock_(single.clock()),
          options_(options),
          lease_id_(held != nullptr ? held->lease_id : ""),
          voice_(options.tell),
          job_(guard, lease_, clock_, options.streams, options.gives_terminal, options.tell),
          lease_(guard, single, held, options.timing, mailbox_,
                 {[this](const std::string& why, BootTime kill_at) { lose(why, kill_at); },
                  [this] {
                      job_.on_thawed();
                      if (end_after_check_) end_in_time();
                  },
                  [this](std::string text) { voice_.tell(std::move(text)); }, options.on_term_point,
                  options.rewrite_record}) {}

    SessionOutcome run() {
        signals_.hand_over([this](int number) { mailbox_.post([this, number] { on_signal(number); }); });
        if (signals_.received() != 0) {
            outcome_.kind = SessionOutcome::Kind::not_started;
            outcome_.signal = signals_.received();
            signals_.hand_over({});  // the handler must not outlive us
            return std::move(outcome_);
        }
        if (auto begun = within_limits([&] { return start(); }); !begun) {
            outcome_.kind = SessionOutcome::Kind::not_started;
            done_ = true;
            survive([&] { outcome_.why = begun.error().message; });
        }
        while (!done_) {
            survive([&] {
                for (const auto& what : mailbox_.take()) survive(what);
            });
            while (!done_) {
                const auto report = guard_.report();
                if (!report) break;
                survive([&] { on_report(*report); });
            }
            if (!done_ && guard_.gone()) survive([&] { on_guard_gone(); });
            if (!done_) survive([&] { watch_guard(); });
            if (!done_) survive([&] { on_time(); });
            // If memory ended before it was told.
            if (!done_ && lease_.lost()) survive([&] { lose("the service refused a renew", clock_.now()); });
            if (!done_) survive([&] { answer_questions(); });
            if (!done_) sleep();
        }
        signals_.hand_over([](int) {});  // only the release of the lease remains
        outcome_.interrupted = job_.was_interrupted(outcome_.wait_status.value_or(0));
        if (outcome_.kind == SessionOutcome::Kind::ran && timed_out_) outcome_.kind = SessionOutcome::Kind::timed_out;
        if (outcome_.kind == SessionOutcome::Kind::ran && !outcome_.wait_status) {
            outcome_.kind = SessionOutcome::Kind::lost;
            survive([&] {
                outcome_.why = outcome_.nothing_left ? "nobody knows how the command ended"
                                                     : "processes of the command cannot be ended";
            });
        }
        return std::move(outcome_);
    }

  private:
    // If the system gives no memory or thread for a step, the loop goes on. What was lost with the step counts as a
    // request that is not answered; the guard has the points of the last renew in any case. So each step first does
    // what needs no memory, and then tells it.
    template <typename Step>
    void survive(const Step& step) {
        try {
            step();
        } catch (const std::bad_alloc&) {
            (void)poll(nullptr, 0, kShortageMs);
        } catch (const std::system_error&) {
            (void)poll(nullptr, 0, kShortageMs);
        }
    }

    // An error, also one that is thrown: nothing was started.
    Status start() {
        options_.on_term_point(lease_.term_at());  // before the command, which may ask at once
        if (options_.run_timeout) timeout_at_ = clock_.after(*options_.run_timeout);
        const auto kill_after = options_.timing.kill_after.count();
        return guard_.start(lease_.points(), kill_after, job_.gives_terminal(), options_.environment_changes,
                            options_.streams);
    }

    void lose(const std::string& why, BootTime kill_at) {
        if (outcome_.kind == SessionOutcome::Kind::lost) return;
        outcome_.kind = SessionOutcome::Kind::lost;
        end(kill_at);  // first: all else needs memory
        survive([&] {
            outcome_.why = why;
            voice_.tell(options_.kept + " is lost: " + why + "; ending the command");
        });
        // Processes that azlock itself froze cannot act on TERM, and the guard may not know that they are frozen.
        if (kill_at > clock_.now()) lease_.thaw();
    }

    void end(BootTime kill_at) {
        order(Order::Kind::end, kill_point(kill_at));
        force_at_ = std::min(force_at_, std::max(kill_at, clock_.now()) + kGuardGrace);
    }

    // TERM, and KILL after the command's time to end. If nothing of it may run now, when it may again.
    void end_in_time() {
        end_after_check_ = lease_.frozen();
        if (!end_after_check_) end(clock_.after(options_.timing.kill_after));
    }

    void order(Order::Kind kind, const os::EndPoints& points, int number = 0) {
        send_order(guard_, kind, points, number);
    }

    // What the guard says.

    void on_report(const Report& report) {
        switch (report.kind) {
            case Report::Kind::started: command_ = report.number; return options_.on_started(report.number);
            case Report::Kind::not_started:
                outcome_.kind = SessionOutcome::Kind::not_started;
                outcome_.error = report.number;
                outcome_.at_exec = report.step == 1;
                done_ = true;
                outcome_.why = std::strerror(report.number);
                return;
            case Report::Kind::stopped: return job_.on_stopped(report.number);
            case Report::Kind::exited: return on_exited(report.number);
            case Report::Kind::late: return lease_.on_guard_late();
            case Report::Kind::ending:
                if (!ended_by_us()) lose("no renew of the lease succeeded in time", lease_.kill_at());
                return;
            case Report::Kind::gone: done_ = true; return;
            case Report::Kind::cannot_end:
                outcome_.nothing_left = false;
                done_ = true;
                voice_.tell(report.number == 1 ? "a process cannot be ended: it belongs to another user"
                                               : std::to_string(report.number) +
                                                     " processes cannot be ended: they belong to another user");
                return;
        }
    }

    [[nodiscard]] bool ended_by_us() const {
        return force_at_ != kNoDeadline || end_after_check_ || outcome_.kind == SessionOutcome::Kind::lost;
    }

    void on_exited(int status) {
        outcome_.wait_status = status;
        if (ended_by_us()) return;
        switch (options_.orphans) {
            case Orphans::wait: orphans_told_at_ = clock_.after(kOrphansTold); break;
            case Orphans::kill: end_in_time(); break;
            case Orphans::leave:
                leaving_ = true;
                order(Order::Kind::leave, {});
                break;
        }
    }

    void on_guard_gone() {
        done_ = true;
        if (leaving_) return;
        end_by_force();
        lose_guard("the guard was killed");
    }

    // It cannot end the command in time if it stands still.
    void watch_guard() {
        if (!guard_.rouse()) {
            stops_ = 0;
        } else if (++stops_ == 1) {
            voice_.tell("the guard was stopped; azlock continues it");
        } else if (stops_ > kMostStops) {
            const bool ended = outcome_.wait_status || (command_ > 0 && has_ended(command_));
            end_by_force();
            if (!ended) lose_guard("the guard is stopped again and again");
        }
    }

    static bool has_ended(pid_t pid) {
        const auto found = os::find_process(pid);
        return !found || found->state == 'Z';
    }

    void lose_guard(const char* why) {
        if (outcome_.kind == SessionOutcome::Kind::lost) return;
        outcome_.kind = SessionOutcome::Kind::lost;
        outcome_.why = why;
        voice_.tell(std::string(why) + ", so the command is ended");
    }

    void end_by_force() {
        done_ = true;
        const os::ForcedEnd end = guard_.end_by_force();
        outcome_.nothing_left = end.nothing_left;
        if (end.wait_status) outcome_.wait_status = end.wait_status;
        while (const auto report = guard_.report()) {  // of the time before
            if (report->kind == Report::Kind::exited) outcome_.wait_status = report->number;
        }
    }

    // Signals.

    void on_signal(int number) {
        if (done_) return;
        if (number == SIGTERM && ++terms_ > 1) return end(clock_.now());
        if (number == SIGTSTP) job_.told_to_stop();
        order(Order::Kind::signal, {}, number);
        if (outcome_.wait_status && !ended_by_us()) end_what_is_left(number);
    }

    // The terminal is ours again when the command has ended. Most of what runs on ignores ^C: a shell starts its
    // background jobs so.
    void end_what_is_left(int number) {
        if (number == SIGQUIT || (number == SIGINT && ++interrupts_ > 1)) {
            return end_in_time();
        }
        if (number == SIGINT) voice_.tell("one more ^C ends what the command has left running");
    }

    // Time.

    void on_time() {
        if (steps_.stepped()) lease_.check("the machine's clock was set, or it slept");
        lease_.on_time();
        const BootTime now = clock_.now();
        if (now >= timeout_at_) {
            timeout_at_ = kNoDeadline;
            if (!ended_by_us()) {
                timed_out_ = true;
                end_in_time();
                voice_.tell(outcome_.wait_status ? "--run-timeout has passed; ending what the command has left running"
                                                 : "--run-timeout has passed; ending the command");
            }
        }
        if (now >= orphans_told_at_) {
            orphans_told_at_ = kNoDeadline;
            name_orphans();
        }
        if (now >= force_at_) {
            force_at_ = kNoDeadline;
            survive([&] { voice_.tell("the guard does not end the command; ending it by force"); });
            end_by_force();
        }
    }

    void name_orphans() {
        const std::string names = name_left_running(guard_.pid());
        if (names.empty()) return;
        voice_.tell("the command has ended, but what it started still runs and keeps " + options_.kept + ": " + names);
    }

    void answer_questions() {
        if (options_.keeper == nullptr) return;
        options_.keeper->answer(guard_.pid(), lease_id_, {lease_.kept(), lease_.term_at()});
    }

    void sleep() {
        timer_.set(std::min({timeout_at_, orphans_told_at_, force_at_, lease_.next()}));
        const int questions = options_.keeper != nullptr ? options_.keeper->fd() : -1;
        pollfd entries[5] = {{guard_.fd(), POLLIN, 0},
                             {mailbox_.fd(), POLLIN, 0},
                             {timer_.fd(), POLLIN, 0},
                             {steps_.fd(), POLLIN, 0},
                             {questions, POLLIN, 0}};
        (void)poll(entries, 5, stops_ > 0 ? kAgainMs : kLookMs);
    }

    os::Guard& guard_;
    os::SignalSource& signals_;
    Clock& clock_;
    const SessionOptions& options_;
    const std::string lease_id_;
    SessionOutcome outcome_;
    os::BootTimer timer_;
    os::ClockStepWatch steps_;
    os::Mailbox mailbox_;
    BootTime timeout_at_ = kNoDeadline;
    BootTime orphans_told_at_ = kNoDeadline;
    BootTime force_at_ = kNoDeadline;
    pid_t command_ = -1;
    int stops_ = 0;  // the guard was found stopped, each time since it was last found running
    int terms_ = 0;
    int interrupts_ = 0;  // after the command's end
    bool end_after_check_ = false;
    bool timed_out_ = false;
    bool leaving_ = false;
    bool done_ = false;
    Voice voice_;
    JobControl job_;
    SessionLease lease_;  // last, so that it is destroyed first: its threads use the others
};

}  // namespace

SessionOutcome run_session(os::Guard& guard, os::SignalSource& signals, azure::BlobClient& single,
                           const HeldLease* held, const SessionOptions& options) {
    std::optional<Session> session;
    try {
        session.emplace(guard, signals, single, held, options);
    } catch (const std::exception& thrown) {
        const auto limit = limit_error(thrown);
        if (!limit) throw;
        SessionOutcome out;
        out.kind = SessionOutcome::Kind::not_started;
        out.why = limit->message;
        return out;
    }
    return session->run();
}

}  // namespace azlock::ops
