#include "cli/commands/upload/upload_flags.hpp"

#include "cli/flags/content_flags.hpp"

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
    command.add_flag("--replace-type", options.replace_type,
                     "First delete an append or page blob of that name; without this flag it is an error");
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
    if (auto ok = ops::check_write_conditions(*conditions); !ok) return fail(ok.error());
    options.conditions = std::move(*conditions);
    auto fence = read_fence_flags(flags.fence);
    if (!fence) return fail(fence.error());
    options.fence = std::move(*fence);
    if (auto ok = ops::take_content(flags.content, options); !ok) return fail(ok.error());
    options.reuse = !flags.fresh;
    if (!flags.cut.empty()) options.cut = flags.cut == "content" ? ops::CutKind::content : ops::CutKind::fixed;
    if (!flags.hash.empty()) options.hash = flags.hash == "xxh3" ? ops::HashKind::xxh3 : ops::HashKind::sha256;
    return options;
}

}  // namespace azlock::cli
