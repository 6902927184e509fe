#include "cli/commands/upload/upload_files.hpp"

#include "base/error_text.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"
#include "cli/commands/upload/show_upload.hpp"
#include "ops/upload/upload_many.hpp"

namespace azlock::cli {
namespace {

std::string summary(const ops::ManyReport& r, std::size_t left_out, std::chrono::milliseconds took) {
    std::string out = "uploaded " + format_count(r.uploaded, "file") + ", " + format_bytes(r.sent) + " sent of " +
                      format_bytes(r.bytes) + ", " + format_duration(took);
    if (r.unchanged > 0) out += "; " + std::to_string(r.unchanged) + " unchanged";
    if (r.existing > 0) out += "; " + std::to_string(r.existing) + " there already";
    if (left_out > 0) out += "; " + std::to_string(left_out) + " left out";
    if (r.not_finished > 0) out += "; " + std::to_string(r.not_finished) + " NOT FINISHED";
    if (r.failed > 0) out += "; " + std::to_string(r.failed) + " FAILED";
    return out;
}

Json to_json(const ops::ManyReport& report, std::size_t left_out) {
    Json out;
    out["files"] = report.files;
    out["uploaded"] = report.uploaded;
    out["unchanged"] = report.unchanged;
    out["skipped_existing"] = report.existing;
    out["left_out"] = left_out;
    out["failed"] = report.failed;
    out["not_finished"] = report.not_finished;
    out["failures"] = Json::array();
    for (const auto& [order, error] : report.failures) out["failures"].push_back(error_json(error));
    out["bytes"] = report.bytes;
    out["sent"] = report.sent;
    out["reused"] = report.bytes - report.sent;
    return out;
}

void tell_failure(const char* word, const Error& error, Context& context) {
    if (!context.output().json()) context.output().notice(word + error_text(error));
}

// For --dry-run.
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
    for (const Error& error : selection.failures) tell_failure("would fail: ", error, context);
    return ops::selection_outcome(selection);
}

}  // namespace

void add_files_flags(Parser& command, ops::UploadRequest& request, ops::UploadOptions& options) {
    ops::SelectionRequest& selection = request.selection;
    const auto group = [](Option* option) { option->group("Many files"); };
    const auto patterns = [&](const char* name, std::vector<std::string>& out, const char* help) {
        group(command.add_option(name, out, help)->type_name("GLOB")->repeated());
    };
    group(command.add_flag("-r,--recursive", selection.recursive, "Upload directories with all that is in them"));
    group(command
              .add_option("--files-from", selection.files_from,
                          "Upload the files named in FILE, one per line; - for stdin")
              ->type_name("FILE"));
    group(command.add_flag("--null", selection.null_separated, "--files-from: names end in NUL, as from find -print0"));
    patterns("--include", selection.include, "Only files that match; may be repeated. Without '/': at any depth");
    patterns("--exclude", selection.exclude, "Leave out files and directories that match; may be repeated");
    group(command.add_option("--symlinks", request.symlinks, "Links inside directories (default skip)")
              ->type_name("skip|follow|refuse")
              ->choices({"skip", "follow", "refuse"}));
    group(command.add_flag("--no-overwrite", options.leave_existing, "Do not overwrite blobs that exist already"));
    group(command.add_flag("--skip-unchanged", options.skip_unchanged,
                           "Write nothing if the blob is proven to hold the same bytes"));
    group(command.add_flag("--dry-run", request.dry_run, "Only say what would be uploaded"));
    command.add_flag("-n", request.dry_run)->hidden();
}

Status upload_files(ops::ManyFiles files, const ops::UploadOptions& options, Opened& opened,
                    TransferContext& transfer_context, Context& context) {
    files.selection.destination = opened.address.blob;
    const BootTime start = context.clock().now();
    auto selection = ops::select_files(files.selection, context.call().stop);
    if (!selection) return fail(selection.error());
    for (const ops::SkippedFile& skipped : selection->skipped) {
        context.output().notice("left out: " + in_quotes(skipped.path) + ", " + skipped.reason);
    }
    if (files.dry_run) return list_only(*selection, opened, context);
    std::unique_ptr<ProgressDisplay> display;
    if (!selection->files.empty()) display = transfer_context.show();
    const ops::ContentTypes types(ops::system_content_type_files(std::getenv));
    const auto report = ops::upload_many(opened.client(), opened.address.container, *selection, types, options,
                                         transfer_context.parts->transfer(), context.call());
    display.reset();

    const std::size_t left_out = selection->skipped.size();
    const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(context.clock().now() - start);
    for (const auto& [order, error] : report.failures) tell_failure("FAILED: ", error, context);
    if (report.unseen) tell_unseen(context.output(), opened.address.container);
    if (!context.output().json()) {
        context.output().notice(summary(report, left_out, took));
    } else {
        Json out;
        out["target"] = opened.address.to_string();
        out.update(to_json(report, left_out));
        out.update(context.costs(start));
        if (auto written = context.output().object(out); !written) return written;
    }
    if (report.outcome) return {};
    return fail(with_hint(report.outcome.error(), false, transfer_context.parts->progress(),
                          "to continue: " + context.same_command({"--fresh"})));
}

}  // namespace azlock::cli
