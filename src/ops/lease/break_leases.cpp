#include "ops/lease/break_leases.hpp"

#include "base/text.hpp"
#include "ops/lease/list.hpp"

namespace azlock::ops {
namespace {

using Outcome = BreakReport::Outcome;

// "; it was held by ..."
std::string holder(const LeaseView& before, const char* verb) {
    return before.is_taken() ? std::string("; it ") + verb + " held by " + before.holder() : "";
}

std::string broken_text(const BreakReport& report) {
    const std::string& state = report.before.lease.state;
    const int left = report.seconds_left;
    std::string out = state == "expired" ? "had expired; broken" : state == "broken" ? "was broken" : "broken";
    out += left == 0 ? ", free now" : ", free in " + std::to_string(left) + " s";
    if (report.dead_mark == true) out += ", and nobody waits for its holder";
    if (report.waits_for_earlier) out += ", but the next lock still waits for the holder before it";
    if (report.dead_mark == false) out += ", but somebody else has taken it meanwhile";
    return out + holder(report.before, "was");
}

class Breaking {
  public:
    Breaking(azure::BlobClient& client, const BreakOrder& order, const azure::Call& call)
        : client_(client), order_(order), call_(call) {}

    Status one(const azure::BlobAddress& target) {
        if (order_.each.holder_is_dead && target.is_container()) {
            return fail(ErrorCode::usage, "--holder-is-dead is for blobs: azlock has no locks on containers");
        }
        const std::string name = target.to_string();
        if (to_confirm() && order_.ask) {
            const auto seen = look_at_lease(client_, target, call_);
            const std::string who = seen ? ", held by " + seen->holder() : "";
            if (!seen || seen->is_taken()) {
                if (auto ok = confirm("Break the lease of " + name + who + "?"); !ok) return ok;
            }
        }
        const auto report = break_it(target);
        if (!report) return fail(report.error());
        const bool missing = order_.each.must_be_leased && report->outcome == Outcome::not_leased;
        if (!missing && report->outcome != Outcome::no_match) return order_.done(target, report);
        Error error = make_error(ErrorCode::precondition, describe_break(name, *report));
        error.target = name;
        return fail(std::move(error));
    }

    Status all(const azure::BlobAddress& container) {
        if (!container.is_container()) {
            return fail(ErrorCode::usage, "with --prefix the TARGET is a container",
                        "put all of the name into --prefix");
        }
        if (to_confirm() && !order_.ask) {
            return fail(ErrorCode::usage, "breaking all leases of a prefix needs --yes", "--dry-run shows the leases");
        }
        const auto found = find(container.container);
        if (!found) return fail(found.error());
        const std::string count = std::to_string(found->size());
        const std::string place = in_quotes(*order_.prefix) + " in " + container.container;
        if (found->empty()) {
            order_.tell("no lease to break: " + place);
        } else if (to_confirm()) {
            const std::string leases = count + (found->size() == 1 ? " lease" : " leases");
            if (auto ok = confirm("Break " + leases + " under " + place + "?"); !ok) return ok;
        }
        std::optional<Error> first;
        std::size_t failures = 0;
        for (const azure::BlobAddress& target : *found) {
            const auto report = break_it(target);
            if (!report) {
                const ErrorCode code = report.error().code;
                if (code == ErrorCode::cancelled || code == ErrorCode::auth) return fail(report.error());
                ++failures;
                if (!first) first = report.error();
            }
            if (auto ok = order_.done(target, report); !ok) return ok;
        }
        if (!first) return {};
        first->message =
            std::to_string(failures) + " of " + count + " leases could not be broken; the first: " + first->message;
        return fail(std::move(*first));
    }

  private:
    [[nodiscard]] bool to_confirm() const { return !order_.confirmed && !order_.each.dry_run; }

    Status confirm(const std::string& question) {
        const auto answer = order_.ask(question + " [y/N] ");
        if (!answer) return fail(answer.error());
        if (iequals(*answer, "y") || iequals(*answer, "yes")) return {};
        return fail(ErrorCode::usage, "not confirmed; nothing was broken");
    }

    // The blobs whose lease is held now; with holder_is_dead also those whose next holder would wait. All meet the
    // conditions, as far as the listing tells.
    Result<std::vector<azure::BlobAddress>> find(const std::string& container) {
        std::vector<azure::BlobAddress> out;
        azure::ListOptions options;
        options.prefix = *order_.prefix;
        const auto take = [&](const std::string& name, const LeaseView& view) -> Status {
            const bool to_mark = order_.each.holder_is_dead && view.next_holder_waits();
            if ((view.is_taken() || to_mark) && !mismatch(view, order_.each.conditions)) {
                out.push_back({container, name, {}});
            }
            return {};
        };
        if (auto ok = list_blob_leases(client_, {container, {}, {}}, options, {"all", {}}, take, call_); !ok) {
            return fail(ok.error());
        }
        return out;
    }

    Result<BreakReport> break_it(const azure::BlobAddress& target) {
        auto report = break_lease(client_, target, order_.each, call_);
        if (!report || !order_.wait || report->outcome != Outcome::broken || report->seconds_left == 0) return report;
        order_.tell(describe_break(target.to_string(), *report) + "; azlock waits until it is free");
        const auto seen = wait_until_free(client_, target, report->seconds_left, call_);
        if (!seen) return fail(seen.error());
        report->seconds_left = 0;
        return report;
    }

    azure::BlobClient& client_;
    const BreakOrder& order_;
    const azure::Call& call_;
};

}  // namespace

Status break_leases(azure::BlobClient& client, const azure::BlobAddress& target, const BreakOrder& order,
                    const azure::Call& call) {
    if (order.each.holder_is_dead && order.each.period.value_or(0) != 0) {
        return fail(ErrorCode::usage, "--holder-is-dead breaks at once; --period does not go with it");
    }
    Breaking breaking(client, order, call);
    return order.prefix ? breaking.all(target) : breaking.one(target);
}

std::string describe_break(const std::string& target, const BreakReport& report) {
    const std::string name = printable(target) + ": ";
    const std::string& state = report.before.lease.state;
    switch (report.outcome) {
        case Outcome::broken: return name + broken_text(report);
        case Outcome::not_leased:
            return name + "was not leased" +
                   (state == "broken"    ? ": it was broken before"
                    : state == "expired" ? ": its lease had expired"
                                         : "");
        case Outcome::no_match: return name + "not broken: " + report.why + holder(report.before, "is");
        case Outcome::would_break: break;
    }
    const std::string period = report.period ? " in " + std::to_string(*report.period) + " s" : "";
    return name + "would be broken" + period + holder(report.before, "is");
}

}  // namespace azlock::ops
