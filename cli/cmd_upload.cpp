// `azlock upload SRC DEST`: a file becomes a blob, whole or not at all.
#include <filesystem>
#include <memory>

#include "azure/names.hpp"
#include "base/quantity.hpp"
#include "cli/command.hpp"
#include "cli/flags.hpp"
#include "ops/uploader.hpp"

namespace azlock::cli {
namespace {

struct Options {
    std::string source;
    std::string destination;
    std::vector<std::string> metadata;
    ConditionFlags conditions;
    ops::UploadOptions upload;
};

constexpr const char* kExamples =
    "Examples:\n"
    "  azlock upload build.tar.gz artifacts/build.tar.gz --create-container\n"
    "  azlock upload app.zip releases/          # the blob is named releases/app.zip\n"
    "  azlock upload lock.json state/lock.json --if-none-match '*'\n";

// A container, or a name that ends in '/', takes the file's own name.
Status name_blob(const std::string& source, azure::BlobAddress& address) {
    if (!address.blob.empty() && !address.blob.ends_with('/')) return {};
    address.blob += std::filesystem::path(source).filename().string();
    return azure::check_blob_name(address.blob);
}

std::string summary(const ops::UploadReport& report, std::chrono::milliseconds took) {
    std::string out = "uploaded " + format_bytes(report.bytes);
    if (report.blocks > 0) out += " in " + std::to_string(report.blocks) + " blocks";
    return out + ", " + format_duration(took);
}

Status run(const Options& o, Context& context) {
    auto options = o.upload;
    auto conditions = read_conditions(o.conditions);
    if (!conditions) return fail(conditions.error());
    if (auto ok = check_write_conditions(*conditions); !ok) return ok;
    options.conditions = std::move(*conditions);
    auto metadata = read_metadata(o.metadata);
    if (!metadata) return fail(metadata.error());
    options.metadata = std::move(*metadata);

    auto opened = context.open(o.destination);
    if (!opened) return fail(opened.error());
    if (!opened->address.snapshot.empty()) return fail(ErrorCode::usage, "a snapshot cannot be written");
    if (auto ok = name_blob(o.source, opened->address); !ok) return ok;

    ops::Gate gate(options.concurrency);
    const BootTime start = context.clock().now();
    auto report = ops::upload_file(opened->client(), opened->address, o.source, options, {gate, {}}, context.call());
    if (!report) return fail(report.error());
    const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(context.clock().now() - start);
    if (!context.output().json()) {
        context.output().notice(opened->address.to_string() + ": " + summary(*report, took));
        return context.output().line(report->etag);
    }
    Json out;
    out["target"] = opened->address.to_string();
    out["etag"] = report->etag.empty() ? Json(nullptr) : Json(report->etag);
    out["bytes"] = report->bytes;
    out["blocks"] = report->blocks;
    out["requests"] = context.wire().requests();
    out["retries"] = context.wire().retries();
    out["seconds"] = static_cast<double>(took.count()) / 1000.0;
    return context.output().object(out);
}

}  // namespace

void register_upload(CLI::App& app, Commands& commands) {
    auto o = std::make_shared<Options>();
    CLI::App* cmd = app.add_subcommand("upload", "Upload a file as a block blob");
    cmd->add_option("SRC", o->source, "File to upload")->required();
    cmd->add_option("DEST", o->destination, "CONTAINER[/BLOB], az://... or URL; ending in '/': takes the file's name")
        ->required();
    cmd->add_option("--content-type", o->upload.content.type, "Content type (default application/octet-stream)")
        ->type_name("TYPE");
    cmd->add_option("--metadata", o->metadata, "Metadata pair; may be repeated")
        ->type_name("NAME=VALUE")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    cmd->add_flag("--create-container", o->upload.create_container, "Create the container if it does not exist");
    add_size(*cmd, "--block-size", o->upload.block_size, "Block size (default 8 MiB, more for files above 390 GiB)");
    cmd->add_option("--concurrency", o->upload.concurrency, "Blocks sent at once")
        ->type_name("N")
        ->check(CLI::Range(1, 256))
        ->capture_default_str();
    add_condition_flags(*cmd, o->conditions);
    cmd->footer(kExamples);
    commands.add(cmd, [o](Context& context) { return run(*o, context); });
}

}  // namespace azlock::cli
