#include "cli/upload_flags.hpp"

#include "base/quantity.hpp"
#include "base/text.hpp"

namespace azlock::cli {
namespace {

CLI::Option* add_list(CLI::App& command, const std::string& name, std::vector<std::string>& out,
                      const std::string& help, const char* type) {
    return command.add_option(name, out, help)
        ->type_name(type)
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

// "K=V" pairs as the header takes them. The service's limits: 10 pairs, names of 1 to 128 and values of up to 256
// characters out of letters, digits and "+-./:=_ ".
Result<std::string> read_tags(const std::vector<std::string>& pairs) {
    std::string out;
    for (const std::string& pair : pairs) {
        const std::size_t equals = pair.find('=');
        if (equals == std::string::npos || equals == 0 || equals > 128 || pair.size() - equals - 1 > 256) {
            return fail(ErrorCode::usage, "--tags: '" + printable(pair) + "' is not of the form NAME=VALUE");
        }
        for (const char c : pair) {
            const bool alphanumeric = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
            if (!alphanumeric && std::string_view("+-./:=_ ").find(c) == std::string_view::npos) {
                return fail(ErrorCode::usage,
                            "--tags: '" + printable(pair) +
                                "': only letters, digits, blanks and + - . / : = _ can stand in tags");
            }
        }
        if (!out.empty()) out += '&';
        out += percent_encode(pair.substr(0, equals)) + '=' + percent_encode(pair.substr(equals + 1));
    }
    if (pairs.size() > 10) return fail(ErrorCode::usage, "--tags: a blob has at most 10 tags");
    return out;
}

}  // namespace

void add_upload_flags(CLI::App& command, UploadFlags& flags, bool resuming) {
    ops::UploadOptions& options = flags.options;
    const auto content = [](CLI::Option* option, const char* type) { option->type_name(type)->group("Content"); };
    content(command.add_option("--content-type", options.content.type, "Content type (default: by the file's name)"),
            "TYPE");
    content(command.add_option("--content-encoding", options.content.encoding, "Content encoding, such as gzip"),
            "ENCODING");
    content(command.add_option("--content-language", options.content.language, "Content language"), "LANGUAGE");
    content(command.add_option("--content-disposition", options.content.disposition, "Content disposition"), "TEXT");
    content(command.add_option("--cache-control", options.content.cache_control, "Cache control"), "TEXT");
    content(command.add_option("--tier", options.access_tier, "Access tier")
                ->check(CLI::IsMember({"Hot", "Cool", "Cold", "Archive"}, CLI::ignore_case)),
            "TIER");
    content(add_list(command, "--metadata", flags.metadata, "Metadata pair; may be repeated", "NAME=VALUE"),
            "NAME=VALUE");
    content(add_list(command, "--tags", flags.tags, "Index tag; may be repeated", "NAME=VALUE"), "NAME=VALUE");
    command.add_flag("--put-md5", options.put_md5, "Store the MD5 of the whole content as Content-MD5")
        ->group("Content");

    const auto blocks = [](CLI::Option* option) { option->group("Blocks"); };
    blocks(command.add_option("--id-hash", flags.hash, "Hash of the block ids (default: as the blob has, else sha256)")
               ->type_name("sha256|xxh3")
               ->check(CLI::IsMember({"sha256", "xxh3"})));
    blocks(command.add_flag("--discard-staged", options.discard_staged,
                            "Drop staged blocks of another tool that are in the way, where that is safe"));
    if (!resuming) {
        blocks(add_size(command, "--block-size", options.block_size,
                        "Cut at multiples of this (default 8MiB, more for files above 390 GiB)"));
        blocks(command
                   .add_option("--chunking", flags.cut,
                               "How to cut: at fixed places, or where the content says so (default: as the blob has, "
                               "else fixed)")
                   ->type_name("fixed|content")
                   ->check(CLI::IsMember({"fixed", "content"})));
        blocks(command.add_flag("--fresh", flags.fresh, "Do not look for blocks that are there already"));
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
    auto metadata = read_metadata(flags.metadata);
    if (!metadata) return fail(metadata.error());
    options.metadata = std::move(*metadata);
    auto tags = read_tags(flags.tags);
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
    out["etag"] = report.etag.empty() ? Json(nullptr) : Json(report.etag);
    out["bytes"] = report.bytes;
    out["sent"] = report.sent;
    out["reused"] = report.reused();
    out["blocks"] = report.blocks;
    out["unchanged"] = report.unchanged;
    out["existed"] = report.existed;
    out["proof"] = report.existed ? Json(nullptr) : Json(proof_of(report));
    return out;
}

}  // namespace azlock::cli
