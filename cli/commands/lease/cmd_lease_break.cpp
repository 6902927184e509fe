// `azlock lease break TARGET`: breaks a lease, or all leases under a prefix, and says who held them.
#include <memory>

#include "base/quantity.hpp"
#include "base/text.hpp"
#include "cli/commands/lease/break_report.hpp"
#include "cli/commands/lease/cmd_lease.hpp"
#include "cli/flags/flags.hpp"
#include "cli/program/confirm.hpp"
#include "ops/lease/list.hpp"

namespace azlock::cli {
namespace {

struct Options {
    std::string target;
    std::string period = "auto";
    std::vector<std::string> if_owner;
    std::optional<std::uint64_t> if_fence;
    std::optional<std::chrono::milliseconds> older_than;
    std::optional<std::string> prefix;
    bool holder_is_dead = false;
    bool must_be_leased = false;
    bool wait = false;
    bool dry_run = false;
    bool yes = false;
};

Result<std::optional<int>> read_period(const std::string& text) {
    if (text == "auto") return std::nullopt;
    const auto span = parse_duration(text);
    if (!span || span->count() % 1000 != 0 || span->count() > 60'000) {
        return fail(ErrorCode::usage, "--period: '" + printable(text) + "' is not a possible break period",
                    "0 to 60 seconds, or auto");
    }
    return static_cast<int>(span->count() / 1000);
}

Result<ops::BreakOptions> read_options(const Options& o) {
    ops::BreakOptions out;
    auto period = read_period(o.period);
    if (!period) return fail(period.error());
    out.period = *period;
    if (o.holder_is_dead && out.period.value_or(0) != 0) {
        return fail(ErrorCode::usage, "--holder-is-dead breaks at once; --period does not go with it");
    }
    for (const std::string& pair : o.if_owner) {
        const std::size_t equals = pair.find('=');
        if (equals == std::string::npos || equals == 0) {
            return fail(ErrorCode::usage, "--if-owner: '" + printable(pair) + "' is not of the form KEY=VALUE");
        }
        out.conditions.owner.emplace_back(pair.substr(0, equals), pair.substr(equals + 1));
    }
    out.conditions.fence = o.if_fence;
    out.conditions.older_than = o.older_than;
    out.holder_is_dead = o.holder_is_dead;
    out.must_be_leased = o.must_be_leased;
    out.dry_run = o.dry_run;
    return out;
}

// Breaks leases one after the other, and prints what happened to each.
class Breaking {
  public:
    Breaking(Context& context, const Opened& opened, const ops::BreakOptions& options, bool wait)
        : context_(context), client_(opened.client()), options_(options), wait_(wait) {}

    Result<ops::BreakReport> run(const azure::BlobAddress& target) {
        auto report = ops::break_lease(client_, target, options_, context_.call());
        if (!report || !wait_ || report->outcome != ops::BreakReport::Outcome::broken || report->seconds_left == 0) {
            return report;
        }
        context_.output().notice(break_text(target.to_string(), *report) + "; waiting for that");
        const auto seen = ops::wait_until_free(client_, target, report->seconds_left, context_.call());
        if (!seen) return fail(seen.error());
        report->seconds_left = 0;
        return report;
    }

    Status print(const std::string& target, const ops::BreakReport& report) {
        Output& output = context_.output();
        return output.json() ? output.object(break_json(target, report)) : output.line(break_text(target, report));
    }

  private:
    Context& context_;
    azure::BlobClient& client_;
    const ops::BreakOptions& options_;
    bool wait_;
};

// Asks a user at a terminal. Without a terminal, only --prefix needs --yes (see break_many).
Status confirm(const Options& o, Context& context, const std::string& question) {
    if (o.yes || o.dry_run || !can_ask()) return {};
    const auto answer = ask(question + " [y/N] ", context.call().stop);
    if (!answer) return fail(answer.error());
    if (iequals(*answer, "y") || iequals(*answer, "yes")) return {};
    return fail(ErrorCode::usage, "not confirmed; nothing was broken");
}

Status break_one(const Options& o, Context& context, const Opened& opened, const ops::BreakOptions& options) {
    const azure::BlobAddress& target = opened.address;
    const std::string name = target.to_string();
    if (o.holder_is_dead && target.is_container()) {
        return fail(ErrorCode::usage, "--holder-is-dead is for blobs: azlock has no locks on containers");
    }
    if (!o.yes && !o.dry_run && can_ask()) {
        const auto seen = ops::look_at_lease(opened.client(), target, context.call());
        if (!seen || seen->is_locked()) {
            const std::string holder = seen ? ", held by " + seen->holder() : "";
            const std::string question = "Break the lease of " + name + holder + "?";
            if (auto ok = confirm(o, context, question); !ok) return ok;
        }
    }
    Breaking breaking(context, opened, options, o.wait);
    const auto report = breaking.run(target);
    if (!report) return fail(report.error());
    const bool free_already = report->outcome == ops::BreakReport::Outcome::not_leased;
    if (report->outcome == ops::BreakReport::Outcome::no_match || (free_already && o.must_be_leased)) {
        Error error = make_error(ErrorCode::precondition, break_text(name, *report));
        error.target = name;
        return fail(std::move(error));
    }
    return breaking.print(name, *report);
}

Status break_many(const Options& o, Context& context, const Opened& opened, const ops::BreakOptions& options) {
    if (!opened.address.is_container()) {
        return fail(ErrorCode::usage, "with --prefix the TARGET is a container", "put all of the name into --prefix");
    }
    if (!o.yes && !o.dry_run && !can_ask()) {
        return fail(ErrorCode::usage, "breaking all leases of a prefix needs --yes", "--dry-run shows which they are");
    }
    const auto found =
        ops::find_breakable(opened.client(), opened.address.container, *o.prefix, options, context.call());
    if (!found) return fail(found.error());
    const std::string place = "'" + printable(*o.prefix) + "' in " + opened.address.container;
    if (found->empty()) context.output().notice("no lease to break: " + place);
    if (!found->empty()) {
        const std::string count = std::to_string(found->size());
        auto ok = confirm(o, context,
                          "Break " + count + (found->size() == 1 ? " lease" : " leases") + " under " + place + "?");
        if (!ok) return ok;
    }
    Breaking breaking(context, opened, options, o.wait);
    std::optional<Error> first;
    std::size_t failures = 0;
    for (const azure::BlobAddress& target : *found) {
        const auto report = breaking.run(target);
        if (report) {
            if (auto ok = breaking.print(target.to_string(), *report); !ok) return ok;
            continue;
        }
        if (report.error().code == ErrorCode::cancelled || report.error().code == ErrorCode::auth) {
            return fail(report.error());
        }
        ++failures;
        if (!first) first = report.error();
        auto ok = context.output().json()
                      ? context.output().object(failed_break_json(target.to_string(), report.error()))
                      : context.output().line(printable(target.to_string()) + ": failed, " + report.error().message);
        if (!ok) return ok;
    }
    if (!first) return {};
    first->message = std::to_string(failures) + " of " + std::to_string(found->size()) +
                     " leases could not be broken; the first: " + first->message;
    return fail(*first);
}

Status run(const Options& o, Context& context) {
    const auto options = read_options(o);
    if (!options) return fail(options.error());
    auto opened = open_leasable(context, o.target);
    if (!opened) return fail(opened.error());
    return o.prefix ? break_many(o, context, *opened, *options) : break_one(o, context, *opened, *options);
}

}  // namespace

void register_lease_break(Parser& group, Commands& commands) {
    auto o = std::make_shared<Options>();
    Parser* cmd = group.add_subcommand("break", "Break a lease (by default not at once), and say who held it");
    add_lease_target(*cmd, o->target);
    cmd->add_option("--period", o->period,
                    "Break period, 0 to 60 seconds, or auto: the time that the holder's record asks for, else the rest "
                    "of a finite lease, else 0 (default auto)")
        ->type_name("DUR|auto");
    const auto condition = [](Option* option) { option->group("Conditions"); };
    condition(
        cmd->add_option("--if-owner", o->if_owner,
                        "Only if the record has this (owner, host, pid, command, run or another key); may be repeated")
            ->type_name("KEY=VALUE")
            ->repeated());
    condition(cmd->add_option("--if-fence", o->if_fence, "Only if the record has this fencing token")->type_name("N"));
    condition(add_duration(*cmd, "--older-than", o->older_than, "Only if the record says it is held for longer"));
    cmd->add_option("--prefix", o->prefix, "All leased blobs of the container whose names start with this")
        ->type_name("TEXT");
    cmd->add_flag("--holder-is-dead", o->holder_is_dead,
                  "Break at once and mark the record, so that the next lock need not wait for the holder; this writes "
                  "the blob's metadata");
    cmd->add_flag("--must-be-leased", o->must_be_leased, "End with exit code 73, not 0, if nobody holds it");
    cmd->add_flag("--wait", o->wait, "Wait until it is free");
    cmd->add_flag("--dry-run", o->dry_run, "Only say what would be broken");
    cmd->add_flag("-y,--yes", o->yes, "Do not ask; with --prefix needed without a terminal");
    cmd->footer(
        "With a condition (or --holder-is-dead) only the lease whose record was read is broken, never a later one.\n\n"
        "Examples:\n  azlock lease break jobs/nightly --dry-run\n  azlock lease break jobs/nightly --wait\n"
        "  azlock lease break jobs --prefix team-a/ --if-owner host=ci-7 --older-than 1d --yes\n");
    commands.add(cmd, [o](Context& context) { return run(*o, context); });
}

}  // namespace azlock::cli
