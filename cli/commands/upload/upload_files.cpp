#include "cli/commands/upload/upload_files.hpp"

#include <map>

#include "base/quantity.hpp"
#include "base/text.hpp"
#include "ops/files/content_type.hpp"
#include "ops/upload/upload_many.hpp"

namespace azlock::cli {
namespace {

// At most this many failures are named one by one; the others are only counted.
constexpr std::size_t kNamedFailures = 1'000;

ops::SymlinkPolicy policy_of(const std::string& word) {
    if (word == "follow") return ops::SymlinkPolicy::follow;
    return word == "refuse" ? ops::SymlinkPolicy::refuse : ops::SymlinkPolicy::skip;
}

struct Totals {
    std::uint64_t uploaded = 0;
    std::uint64_t unchanged = 0;
    std::uint64_t existing = 0;  // left alone by --no-overwrite
    std::uint64_t bytes = 0;
    std::uint64_t sent = 0;
    std::map<std::size_t, Error> failures;  // in the order of the files; failed selections come first
    std::uint64_t failed = 0;

    void fail_one(std::size_t order, Error error) {
        ++failed;
        if (failures.size() < kNamedFailures) failures.emplace(order, std::move(error));
    }
};

void count(Totals& totals, std::size_t order, const ops::UploadJob& job, const Result<ops::UploadReport>& result) {
    if (result) {
        ++(result->existed ? totals.existing : result->unchanged ? totals.unchanged : totals.uploaded);
        totals.bytes += result->bytes;
        totals.sent += result->sent;
        return;
    }
    Error error = result.error();
    if (error.code == ErrorCode::cancelled) return;
    if (error.target != job.path && error.message.find(job.path) == std::string::npos) {
        error.message = "'" + job.path + "': " + error.message;
    }
    totals.fail_one(order, std::move(error));
}

std::string summary(const Totals& t, std::uint64_t skipped, std::uint64_t not_finished,
                    std::chrono::milliseconds took) {
    std::string out = "uploaded " + std::to_string(t.uploaded) + (t.uploaded == 1 ? " file, " : " files, ") +
                      format_bytes(t.sent) + " sent of " + format_bytes(t.bytes) + ", " + format_duration(took);
    if (t.unchanged > 0) out += "; " + std::to_string(t.unchanged) + " unchanged";
    if (t.existing > 0) out += "; " + std::to_string(t.existing) + " there already";
    if (skipped > 0) out += "; " + std::to_string(skipped) + " left out";
    if (not_finished > 0) out += "; " + std::to_string(not_finished) + " NOT FINISHED";
    if (t.failed > 0) out += "; " + std::to_string(t.failed) + " FAILED";
    return out;
}

Json failures_json(const Totals& totals) {
    Json out = Json::array();
    for (const auto& [order, error] : totals.failures) out.push_back(error_json(error));
    return out;
}

Status list_only(const ops::Selection& selection, const Opened& opened, Context& context) {
    for (std::size_t i = 0; i < selection.files.size(); ++i) {
        const ops::SelectedFile file = selection.files[i];
        const azure::BlobAddress blob{opened.address.container, file.blob, {}};
        Status written;
        if (context.output().json()) {
            Json out;
            out["source"] = printable(file.path);
            out["target"] = blob.to_string();
            out["bytes"] = file.size;
            written = context.output().object(out);
        } else {
            written = context.output().line(printable(file.path) + " -> " + blob.to_string());
        }
        if (!written) return written;
    }
    return {};
}

}  // namespace

void add_files_flags(Parser& command, FilesFlags& flags) {
    const auto group = [](Option* option) { option->group("Many files"); };
    const auto patterns = [&](const char* name, std::vector<std::string>& out, const char* help) {
        group(command.add_option(name, out, help)->type_name("GLOB")->repeated());
    };
    group(command.add_flag("-r,--recursive", flags.recursive, "Upload directories with all that is in them"));
    group(command.add_option("--files-from", flags.from, "Upload the files named in FILE, one per line; - for stdin")
              ->type_name("FILE"));
    group(command.add_flag("--null", flags.null_separated, "--files-from: names end in NUL, as from find -print0"));
    patterns("--include", flags.include, "Only files that match; may be repeated. Without '/': at any depth");
    patterns("--exclude", flags.exclude, "Leave out files and directories that match; may be repeated");
    group(command.add_option("--symlinks", flags.symlinks, "Links inside directories (default skip)")
              ->type_name("skip|follow|refuse")
              ->choices({"skip", "follow", "refuse"}));
    group(command.add_flag("--no-overwrite", flags.no_overwrite, "Do not overwrite blobs that exist already"));
    group(command.add_flag("--skip-unchanged", flags.skip_unchanged,
                           "Write nothing if the blob is proven to hold the same bytes"));
    group(command.add_flag("-n,--dry-run", flags.dry_run, "Only say what would be uploaded"));
}

Status check_files_flags(const FilesFlags& flags, const ops::UploadOptions& options) {
    if (flags.null_separated && !flags.from) return fail(ErrorCode::usage, "--null goes with --files-from");
    if (flags.no_overwrite && options.conditions.any()) {
        return fail(ErrorCode::usage, "--no-overwrite is a condition and does not go with --if-...");
    }
    return {};
}

Status upload_files(const std::vector<std::string>& sources, const FilesFlags& flags, ops::UploadOptions options,
                    Opened& opened, TransferContext& session, bool json_progress, Context& context) {
    if ((options.conditions.any() && options.conditions.if_none_match != "*") || !options.conditions.lease_id.empty()) {
        return fail(ErrorCode::usage, "--if-match, dates and --lease-id are about one blob: upload one file",
                    "--if-none-match '*' and --no-overwrite work with many files");
    }
    ops::SelectionRequest request;
    request.sources = sources;
    request.files_from = flags.from;
    request.null_separated = flags.null_separated;
    request.recursive = flags.recursive;
    request.include = flags.include;
    request.exclude = flags.exclude;
    request.symlinks = policy_of(flags.symlinks);
    request.destination = opened.address.blob;
    const BootTime start = context.clock().now();
    auto selection = ops::select_files(request, context.call().stop);
    if (!selection) return fail(selection.error());
    for (const ops::SkippedFile& skipped : selection->skipped) {
        context.output().notice("left out: '" + printable(skipped.path) + "', " + skipped.reason);
    }
    Totals totals;
    for (Error& error : selection->failures) totals.fail_one(totals.failures.size(), std::move(error));
    const std::size_t first = totals.failures.size();
    if (flags.dry_run) {
        if (auto listed = list_only(*selection, opened, context); !listed) return listed;
    }

    Status outcome;
    const std::size_t n_files = flags.dry_run ? 0 : selection->files.size();
    if (n_files > 0) {
        const ops::ContentTypes types(ops::system_content_type_files(std::getenv));
        ops::Progress& progress = session.progress();
        progress.total = selection->files.total_bytes();
        progress.files = n_files;
        const auto job = [&](std::size_t i) {
            const ops::SelectedFile file = selection->files[i];
            return ops::UploadJob{file.path, file.blob, file.size, types.of(file.path)};
        };
        const auto done = [&](std::size_t i, const ops::UploadJob& one, const Result<ops::UploadReport>& result) {
            ++progress.files_done;
            count(totals, first + i, one, result);
        };
        const auto display = session.show(json_progress);
        outcome = ops::upload_many(opened.client(), opened.address.container, n_files, job, options, session.transfer(),
                                   done, context.call());
    }

    const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(context.clock().now() - start);
    const std::uint64_t tried = totals.uploaded + totals.unchanged + totals.existing + totals.failed - first;
    if (!context.output().json()) {
        for (const auto& [order, error] : totals.failures) context.output().notice("FAILED: " + error_text(error));
        if (!flags.dry_run) context.output().notice(summary(totals, selection->skipped.size(), n_files - tried, took));
    } else if (!flags.dry_run) {
        Json out;
        out["target"] = opened.address.to_string();
        out["files"] = n_files + first;
        out["uploaded"] = totals.uploaded;
        out["unchanged"] = totals.unchanged;
        out["skipped_existing"] = totals.existing;
        out["left_out"] = selection->skipped.size();
        out["failed"] = totals.failed;
        out["not_finished"] = n_files - tried;
        out["failures"] = failures_json(totals);
        out["bytes"] = totals.bytes;
        out["sent"] = totals.sent;
        out["reused"] = totals.bytes - totals.sent;
        out["requests"] = context.wire().requests();
        out["retries"] = context.wire().retries();
        out["seconds"] = static_cast<double>(took.count()) / 1000.0;
        if (auto written = context.output().object(out); !written) return written;
    }
    if (!outcome && outcome.error().code == ErrorCode::cancelled) {
        Error error = outcome.error();
        error.hint = "to continue: " + context.same_command({"--fresh"});
        return fail(std::move(error));
    }
    if (totals.failed == 0) return outcome;
    Error error = totals.failures.begin()->second;
    if (totals.failed > 1 || n_files + first > 1) {
        error.message = std::to_string(totals.failed) + " of " + std::to_string(n_files + first) +
                        " files failed, the first because: " + error.message;
    }
    return fail(std::move(error));
}

}  // namespace azlock::cli
