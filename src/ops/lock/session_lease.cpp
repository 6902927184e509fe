#include "ops/lock/session_lease.hpp"

#include "base/within_limits.hpp"

namespace azlock::ops {

using Kind = LockAction::Kind;
using Order = os::Order;

void send_order(os::Guard& guard, Order::Kind kind, const os::EndPoints& points, int number) {
    Order out;
    out.kind = kind;
    out.points = points;
    out.number = number;
    (void)guard.order(out);
}

os::EndPoints kill_point(BootTime kill_at) {
    return {os::kNeverNs, kill_at.time_since_epoch().count()};
}

SessionLease::SessionLease(os::Guard& guard, azure::BlobClient& single, const HeldLease* held, const LockTiming& timing,
                           os::Mailbox& mailbox, LeaseEvents events)
    : guard_(guard),
      single_(single),
      clock_(single.clock()),
      held_(held),
      timing_(timing),
      mailbox_(mailbox),
      events_(std::move(events)) {
    if (held_ != nullptr) rules_.emplace(timing_, single.random(), held_->acquired, held_->date);
}

void SessionLease::on_time() {
    if (rules_) act(rules_->on_time(now_on(clock_)));
}

void SessionLease::on_guard_late() {
    if (rules_) act(rules_->on_guard_late(now_on(clock_)));
}

bool SessionLease::check(const std::string& why) {
    if (rules_) act(rules_->check(now_on(clock_), why));
    return rules_.has_value();
}

BootTime SessionLease::kill_at() const {
    return rules_ ? timing_.kill_at(rules_->sent()) : clock_.now();
}

os::EndPoints SessionLease::points() const {
    if (!rules_) return {};
    return {term_at().time_since_epoch().count(), kill_at().time_since_epoch().count()};
}

void SessionLease::act(const LockActions& actions) {
    for (const LockAction& action : actions) carry_out(action);
}

// Sends a request on another thread. `send` returns a function that passes the answer to the rules.
template <typename Send>
void SessionLease::ask(BootTime until, Send send) {
    threads_.run([this, until, send](const std::stop_token& stop) {
        mailbox_.post([this, answered = send(azure::Call{until, stop})] { act(answered(now_on(clock_))); });
    });
}

void SessionLease::carry_out(const LockAction& action) {
    switch (action.kind) {
        case Kind::renew:
            return ask(action.time, [this, number = action.number](const azure::Call& call) {
                const auto result =
                    within_limits([&] { return single_.renew_lease(held_->blob, held_->lease_id, {}, call); });
                return [this, number, answer = read_renew(result, held_->lease_id)](Now now) {
                    return rules_->on_renewed(number, answer, now);
                };
            });
        case Kind::look:
            return ask(action.time, [this](const azure::Call& call) {
                const auto head = within_limits([&] { return single_.get_properties(held_->blob, {}, call); });
                return [this, state = head ? head->properties.lease.state : std::string()](Now now) {
                    return rules_->on_looked(state, now);
                };
            });
        case Kind::ask_break:
            return ask(action.time, [this](const azure::Call& call) {
                const BootTime sent = clock_.now();
                const auto broken =
                    within_limits([&] { return single_.break_lease(held_->blob, std::nullopt, {}, call); });
                return [this, sent, left = broken ? broken->seconds_left : std::nullopt](Now now) {
                    return rules_->on_break_time(left, sent, now);
                };
            });
        case Kind::rewrite_record:
            return ask(action.time, [this, number = action.number](const azure::Call& call) {
                const Status written = within_limits([&] { return events_.rewrite_record(call); });
                return [this, number, answer = read_write(written)](Now now) {
                    return rules_->on_recorded(number, answer, now);
                };
            });
        case Kind::points: send_order(guard_, Order::Kind::points, points()); return events_.on_term_point(term_at());
        case Kind::freeze:
            send_order(guard_, Order::Kind::freeze, kill_point(action.time));
            // azlock freezes them too: the guard may be stopped.
            return freezer_.freeze(guard_.pid());
        case Kind::thaw:
            send_order(guard_, Order::Kind::thaw, points());
            thaw();
            events_.on_term_point(term_at());
            return events_.thawed();
        case Kind::end: return events_.lost(rules_->why_lost(), action.time);
        case Kind::tell: return events_.tell(action.text);
    }
}

}  // namespace azlock::ops
