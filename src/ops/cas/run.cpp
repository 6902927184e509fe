#include "ops/cas/run.hpp"

#include "ops/cas/update.hpp"
#include "ops/files/content_type.hpp"

namespace azlock::ops {
namespace {

const char* word_for(CasReport::Outcome outcome) {
    switch (outcome) {
        case CasReport::Outcome::written: return "written";
        case CasReport::Outcome::unchanged: return "unchanged";
        case CasReport::Outcome::skipped: return "skipped";
    }
    return "";
}

const char* word_for(CommandFailure::Kind kind) {
    switch (kind) {
        case CommandFailure::Kind::not_started: return "not_started";
        case CommandFailure::Kind::failed: return "command_failed";
        case CommandFailure::Kind::timed_out: return "timeout";
    }
    return "";
}

CasEnd end_of(Result<CasReport> report, const std::optional<CommandFailure>& failure) {
    CasEnd end{std::move(report)};
    end.outcome = end.report ? word_for(end.report->outcome) : "error";
    if (end.report || !failure) return end;
    end.outcome = word_for(failure->kind);
    end.exit_code = failure->exit_code;
    if (failure->kind == CommandFailure::Kind::failed) end.command_exit_code = failure->exit_code;
    return end;
}

}  // namespace

Result<CasRun> prepare_cas(const CasRequest& request, const ReadFile& read) {
    auto options = make_cas_options(request, read);
    if (!options) return fail(options.error());
    CasRun run{std::move(*options), {}, {}};
    if (request.command.argv.empty()) {
        auto transform = make_transform(request, read);
        if (!transform) return fail(transform.error());
        run.transform = std::move(*transform);
        return run;
    }
    run.command = request.command;
    run.command->max_size = run.options.max_size;
    if (run.command->run_timeout == std::chrono::milliseconds(0)) run.command->run_timeout.reset();  // 0: none
    run.command->skip_code = request.command.skip_code.value_or(kSkipCode);
    return run;
}

CasEnd run_cas(azure::BlobClient& client, const azure::BlobAddress& blob, CasRun run, const azure::Call& call) {
    if (run.options.create) fill_content_type(run.options.content_type, blob.blob);
    if (!run.command) return end_of(cas_update(client, blob, run.transform, run.options, call), {});
    run.command->blob = blob.to_string();
    CommandTransform command(std::move(*run.command), client.clock());
    const CasTransform transform = [&](const CasInput& input, const azure::Call& inner) {
        return command.run(input, inner);
    };
    auto report = cas_update(client, blob, transform, run.options, call);
    return end_of(std::move(report), command.failure());
}

}  // namespace azlock::ops
