#include "cli/commands/upload/upload_flags.hpp"

#include "base/quantity.hpp"

namespace azlock::cli {

void add_upload_flags(Parser& command, UploadFlags& flags, bool resuming) {
    ops::UploadOptions& options = flags.options;
    add_content_flags(command, flags.content, "from the file's name");
    command.add_flag("--put-md5", options.put_md5, "Store the MD5 of the whole content as Content-MD5")
        ->group("Content");

    const auto blocks = [](Option* option) { option->group("Blocks"); };
    blocks(
        command.add_option("--id-hash", flags.hash, "Hash of the block ids (default: that of the blob, else sha256)")
            ->type_name("sha256|xxh3")
            ->choices({"sha256", "xxh3"}));
    blocks(command.add_flag("--discard-staged", options.discard_staged,
                            "Drop staged blocks of another tool that prevent the upload, if that is safe"));
    if (!resuming) {
        blocks(add_size(command, "--block-size", options.block_size,
                        "Cut at multiples of this (default 8MiB, more for files above 390 GiB)"));
        blocks(command
                   .add_option("--chunking", flags.cut,
                               "Where to cut: at fixed offsets, or at places that the content determines (default: as "
                               "in the blob, else fixed)")
                   ->type_name("fixed|content")
                   ->choices({"fixed", "content"}));
        blocks(command.add_flag("--fresh", flags.fresh, "Do not reuse blocks that are there already"));
    }
    add_transfer_flags(command, flags.transfer);
    add_condition_flags(command, flags.conditions);
    add_fence_flags(command, flags.fence);
}

Result<ops::UploadOptions> read_upload_options(const UploadFlags& flags) {
    ops::UploadOptions options = flags.options;
    auto conditions = read_conditions(flags.conditions);
    if (!conditions) return fail(conditions.error());
    if (auto ok = check_write_conditions(*conditions); !ok) return fail(ok.error());
    options.conditions = std::move(*conditions);
    auto fence = read_fence_flags(flags.fence);
    if (!fence) return fail(fence.error());
    options.fence = std::move(*fence);
    options.content = flags.content.content;
    options.access_tier = flags.content.access_tier;
    auto metadata = read_metadata(flags.content.metadata);
    if (!metadata) return fail(metadata.error());
    options.metadata = std::move(*metadata);
    auto tags = read_tags(flags.content.tags);
    if (!tags) return fail(tags.error());
    options.tags = std::move(*tags);
    options.reuse = !flags.fresh;
    if (!flags.cut.empty()) options.cut = flags.cut == "content" ? ops::CutKind::content : ops::CutKind::fixed;
    if (!flags.hash.empty()) options.hash = flags.hash == "xxh3" ? ops::HashKind::xxh3 : ops::HashKind::sha256;
    if (options.block_size && options.cut == ops::CutKind::content) {
        return fail(ErrorCode::usage, "--block-size does not go with --chunking content, whose blocks have many sizes");
    }
    return options;
}

std::string upload_text(const ops::UploadReport& report, std::chrono::milliseconds took) {
    if (report.unchanged) return "unchanged, nothing written";
    std::string out = "uploaded " + format_bytes(report.bytes);
    if (report.blocks > 0) out += " in " + std::to_string(report.blocks) + (report.blocks == 1 ? " block" : " blocks");
    if (report.reused_blocks > 0) {
        out += " (" + std::to_string(report.reused_blocks) + " were there already, " + format_bytes(report.sent) +
               " sent)";
    }
    return out + ", " + format_duration(took);
}

std::string proof_of(const ops::UploadReport& report) {
    return report.hash ? std::string(ops::to_string(*report.hash)) : "md5";
}

Json upload_json(const std::string& target, const ops::UploadReport& report) {
    Json out;
    out["target"] = target;
    out["etag"] = or_null(report.etag);
    out["bytes"] = report.bytes;
    out["sent"] = report.sent;
    out["reused"] = report.reused();
    out["blocks"] = report.blocks;
    out["unchanged"] = report.unchanged;
    out["existed"] = report.existed;
    out["proof"] = report.existed ? Json() : Json(proof_of(report));
    return out;
}

}  // namespace azlock::cli
