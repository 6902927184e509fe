#include "ops/lock/session.hpp"

#include <algorithm>
#include <cstring>

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/quantity.hpp"
#include "ops/lock/helper_threads.hpp"
#include "os/event_fds.hpp"
#include "os/process_tree.hpp"
#include "os/terminal.hpp"

namespace azlock::ops {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;
using Order = os::Order;
using Report = os::Report;

// The guard must report within this time after the KILL point that nothing is left.
constexpr seconds kGuardGrace{1};
constexpr milliseconds kOrphansTold{300};
constexpr std::size_t kMostNamed = 5;

os::BootNs to_ns(BootTime time) {
    return time.time_since_epoch().count();
}

class Session {
  public:
    Session(os::Guard& guard, os::SignalSource& signals, azure::BlobClient& single, const HeldLease* held,
            const SessionOptions& options)
        : guard_(guard),
          signals_(signals),
          single_(single),
          clock_(single.clock()),
          held_(held),
          options_(options),
          voice_(options.tell) {
        if (held_ != nullptr) rules_.emplace(options_.timing, single.random(), held_->acquired, held_->date);
    }

    SessionOutcome run() {
        signals_.hand_over([this](int number) { mailbox_.post([this, number] { on_signal(number); }); });
        if (signals_.received() != 0) {
            outcome_.kind = SessionOutcome::Kind::not_started;
            outcome_.signal = signals_.received();
            signals_.hand_over({});  // the handler must not outlive us
            return std::move(outcome_);
        }
        start();
        while (!done_) {
            for (const auto& what : mailbox_.take()) what();
            while (!done_) {
                const auto report = guard_.report();
                if (!report) break;
                on_report(*report);
            }
            if (!done_ && guard_.gone()) on_guard_gone();
            if (!done_) on_time();
            if (!done_) sleep();
        }
        signals_.hand_over([](int) {});  // only the release of the lease remains
        outcome_.interrupted = was_interrupted();
        if (outcome_.kind == SessionOutcome::Kind::ran && timed_out_) outcome_.kind = SessionOutcome::Kind::timed_out;
        return std::move(outcome_);
    }

  private:
    void start() {
        const auto& fds = options_.streams.fds;
        own_streams_ = std::any_of(fds.begin(), fds.end(), [](int fd) { return fd >= 0; });
        interruptible_ = !own_streams_ && terminal_.to_be_given();
        given_ = interruptible_ && options_.gives_terminal;
        const auto kill_after = options_.timing.kill_after.count();
        if (auto ok = guard_.start(points(), kill_after, given_, options_.environment_changes, options_.streams); !ok) {
            outcome_.kind = SessionOutcome::Kind::not_started;
            outcome_.why = ok.error().message;
            done_ = true;
        }
        if (options_.run_timeout) timeout_at_ = clock_.after(*options_.run_timeout);
    }

    [[nodiscard]] os::EndPoints points() const {
        if (!rules_) return {};
        return {to_ns(rules_->term_at()), to_ns(options_.timing.kill_at(rules_->sent()))};
    }

    // What the rules decide.

    void act(const LockActions& actions) {
        for (const LockAction& action : actions) carry_out(action);
    }

    void carry_out(const LockAction& action) {
        switch (action.kind) {
            case LockAction::Kind::renew: return renew(action.number, action.time);
            case LockAction::Kind::points:
                order(Order::Kind::points, points());
                return options_.on_term_point(rules_->term_at());
            case LockAction::Kind::freeze:
                order(Order::Kind::freeze, {os::kNeverNs, to_ns(action.time)});
                // azlock freezes them too: the guard may be stopped.
                return freezer_.freeze(guard_.pid());
            case LockAction::Kind::thaw: return thaw();
            case LockAction::Kind::rewrite_record: return threads_.run(options_.rewrite_record);
            case LockAction::Kind::look: return look(action.time);
            case LockAction::Kind::ask_break: return ask_break(action.time);
            case LockAction::Kind::end: return lose(rules_->why_lost(), action.time);
            case LockAction::Kind::tell: return voice_.tell(action.text);
        }
    }

    void renew(int number, BootTime until) {
        threads_.run([this, number, until](const std::stop_token& stop) {
            const auto result = single_.renew_lease(held_->blob, held_->lease_id, {}, {until, stop});
            mailbox_.post([this, number, answer = read_renew(result, held_->lease_id)] {
                act(rules_->on_renewed(number, answer, now_on(clock_)));
            });
        });
    }

    void look(BootTime until) {
        threads_.run([this, until](const std::stop_token& stop) {
            const auto head = single_.get_properties(held_->blob, {}, {until, stop});
            mailbox_.post([this, state = head ? head->properties.lease.state : std::string()] {
                act(rules_->on_looked(state, now_on(clock_)));
            });
        });
    }

    void ask_break(BootTime until) {
        threads_.run([this, until](const std::stop_token& stop) {
            const BootTime sent = clock_.now();
            const auto broken = single_.break_lease(held_->blob, std::nullopt, {}, {until, stop});
            mailbox_.post([this, sent, left = broken ? broken->seconds_left : std::nullopt] {
                act(rules_->on_break_time(left, sent, now_on(clock_)));
            });
        });
    }

    void thaw() {
        order(Order::Kind::thaw, points());
        freezer_.thaw(guard_.pid());
        options_.on_term_point(rules_->term_at());
        if (resume_after_check_) resume();
    }

    void lose(const std::string& why, BootTime kill_at) {
        if (outcome_.kind == SessionOutcome::Kind::lost) return;
        outcome_.kind = SessionOutcome::Kind::lost;
        outcome_.why = why;
        voice_.tell(options_.kept + " is lost: " + why + "; ending the command");
        end(kill_at);
        // Processes that azlock itself froze cannot act on TERM, and the guard may not know that they are frozen.
        if (kill_at > clock_.now()) freezer_.thaw(guard_.pid());
    }

    void end(BootTime kill_at) {
        order(Order::Kind::end, {os::kNeverNs, to_ns(kill_at)});
        force_at_ = std::min(force_at_, std::max(kill_at, clock_.now()) + kGuardGrace);
    }

    void order(Order::Kind kind, const os::EndPoints& points, int number = 0) {
        Order out;
        out.kind = kind;
        out.points = points;
        out.number = number;
        (void)guard_.order(out);  // a guard that does not get the order acts on its own timer
    }

    // What the guard says.

    void on_report(const Report& report) {
        switch (report.kind) {
            case Report::Kind::started:
                options_.on_started(report.number);
                return options_.on_term_point(rules_ ? rules_->term_at() : kNoDeadline);
            case Report::Kind::not_started:
                outcome_.kind = SessionOutcome::Kind::not_started;
                outcome_.error = report.number;
                outcome_.at_exec = report.step == 1;
                outcome_.why = std::strerror(report.number);
                done_ = true;
                return;
            case Report::Kind::stopped: return on_stopped(report.number);
            case Report::Kind::exited: return on_exited(report.number);
            case Report::Kind::late:
                if (rules_) act(rules_->on_guard_late(now_on(clock_)));
                return;
            case Report::Kind::ending:
                if (!ended_by_us()) lose("no renew of the lease succeeded in time", kill_point());
                return;
            case Report::Kind::gone: done_ = true; return;
            case Report::Kind::cannot_end:
                voice_.tell(std::to_string(report.number) + " processes cannot be ended: they belong to another user");
                outcome_.nothing_left = false;
                done_ = true;
                return;
        }
    }

    [[nodiscard]] bool ended_by_us() const {
        return force_at_ != kNoDeadline || outcome_.kind == SessionOutcome::Kind::lost;
    }

    [[nodiscard]] BootTime kill_point() const {
        return rules_ ? options_.timing.kill_at(rules_->sent()) : clock_.now();
    }

    void on_exited(int status) {
        outcome_.wait_status = status;
        if (ended_by_us()) return;
        switch (options_.orphans) {
            case Orphans::wait: orphans_told_at_ = clock_.after(kOrphansTold); break;
            case Orphans::kill: end(clock_.after(options_.timing.kill_after)); break;
            case Orphans::leave:
                leaving_ = true;
                order(Order::Kind::leave, {});
                break;
        }
    }

    void on_guard_gone() {
        done_ = true;
        if (leaving_) return;
        outcome_.nothing_left = guard_.end_by_force();
        if (outcome_.kind == SessionOutcome::Kind::lost) return;
        outcome_.kind = SessionOutcome::Kind::lost;
        outcome_.why = "the guard was killed; the command was ended";
        voice_.tell("the guard was killed, so the command is ended");
    }

    // Job control and signals.

    void on_stopped(int signal) {
        const bool asks = signal == SIGTTIN || signal == SIGTTOU;
        if ((signal != SIGTSTP && !asks) || !terminal_.exists() || own_streams_) return;
        if (asks && terminal_.ours()) {
            given_ = true;
            interruptible_ = true;
            order(Order::Kind::resume, {}, 1);
            return;
        }
        if (!os::Terminal::job_can_stop()) {
            order(Order::Kind::resume, {}, terminal_.ours() ? 1 : 0);
            return;
        }
        if (rules_ && !rules_->lost()) {
            const auto left = std::max(rules_->term_at() - clock_.now(), nanoseconds(0));
            options_.tell("stopped: the lease is not renewed; the command is ended in " +
                          format_duration(std::chrono::floor<milliseconds>(left)) +
                          " unless you continue it before then");
        }
        os::Terminal::stop_job();
        if (!rules_) return resume();
        resume_after_check_ = true;
        act(rules_->check(now_on(clock_), "the job was stopped"));
    }

    void resume() {
        resume_after_check_ = false;
        order(Order::Kind::resume, {}, given_ && terminal_.ours() ? 1 : 0);
    }

    void on_signal(int number) {
        if (done_) return;
        if (number == SIGTERM && ++terms_ > 1) return end(clock_.now());
        order(Order::Kind::signal, {}, number);
    }

    [[nodiscard]] bool was_interrupted() const {
        const int status = outcome_.wait_status.value_or(0);
        return interruptible_ && terminal_.ours() && WIFSIGNALED(status) && WTERMSIG(status) == SIGINT;
    }

    // Time.

    void on_time() {
        const Now now = now_on(clock_);
        if (steps_.stepped() && rules_) act(rules_->check(now, "the machine's clock was set, or it slept"));
        if (rules_) act(rules_->on_time(now));
        if (now.boot >= timeout_at_) {
            timeout_at_ = kNoDeadline;
            if (!ended_by_us() && !outcome_.wait_status) {
                timed_out_ = true;
                voice_.tell("--run-timeout has passed; ending the command");
                end(clock_.after(options_.timing.kill_after));
            }
        }
        if (now.boot >= orphans_told_at_) {
            orphans_told_at_ = kNoDeadline;
            name_orphans();
        }
        if (now.boot >= force_at_) {
            force_at_ = kNoDeadline;
            voice_.tell("the guard does not end the command; ending it by force");
            outcome_.nothing_left = guard_.end_by_force();
            done_ = true;
        }
    }

    void name_orphans() {
        std::string names;
        std::size_t count = 0;
        for (const os::ProcessInfo& info : os::descendants_of(guard_.pid())) {
            if (++count > kMostNamed) continue;
            names += (names.empty() ? "" : ", ") + os::process_name(info.pid) + " (" + std::to_string(info.pid) + ")";
        }
        if (count == 0) return;
        if (count > kMostNamed) names += " and " + std::to_string(count - kMostNamed) + " more";
        voice_.tell("the command has ended, but what it started still runs and keeps " + options_.kept + ": " + names);
    }

    void sleep() {
        BootTime next = std::min({timeout_at_, orphans_told_at_, force_at_});
        if (rules_) next = std::min(next, rules_->next());
        timer_.set(next);
        pollfd entries[4] = {
            {guard_.fd(), POLLIN, 0}, {mailbox_.fd(), POLLIN, 0}, {timer_.fd(), POLLIN, 0}, {steps_.fd(), POLLIN, 0}};
        (void)poll(entries, 4, -1);
    }

    os::Guard& guard_;
    os::SignalSource& signals_;
    azure::BlobClient& single_;
    Clock& clock_;
    const HeldLease* held_;
    const SessionOptions& options_;
    std::optional<LockRules> rules_;
    SessionOutcome outcome_;
    os::Terminal terminal_;
    os::BootTimer timer_;
    os::ClockStepWatch steps_;
    os::Mailbox mailbox_;
    os::Freezer freezer_;
    BootTime timeout_at_ = kNoDeadline;
    BootTime orphans_told_at_ = kNoDeadline;
    BootTime force_at_ = kNoDeadline;
    int terms_ = 0;
    bool own_streams_ = false;
    bool given_ = false;          // the command has had the terminal
    bool interruptible_ = false;  // a SIGINT that ends it comes from ^C
    bool resume_after_check_ = false;
    bool timed_out_ = false;
    bool leaving_ = false;
    bool done_ = false;
    Voice voice_;
    HelperThreads threads_;  // last, so that it is destroyed first: its threads use the others
};

}  // namespace

SessionOutcome run_session(os::Guard& guard, os::SignalSource& signals, azure::BlobClient& single,
                           const HeldLease* held, const SessionOptions& options) {
    return Session(guard, signals, single, held, options).run();
}

}  // namespace azlock::ops
