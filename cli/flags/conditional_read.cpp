#include "cli/flags/conditional_read.hpp"

#include "cli/output/exit_code.hpp"
#include "ops/read/etag_file.hpp"

namespace azlock::cli {

void add_etag_file_flag(Parser& command, std::string& path) {
    command
        .add_option("--etag-file", path,
                    "Only if the ETag is not the one in this file, if that exists; save the new ETag there")
        ->type_name("FILE")
        ->group("Conditions");
}

Status take_etag_file(const std::string& path, azure::Conditions& conditions) {
    if (path.empty()) return {};
    if (!conditions.if_none_match.empty()) {
        return fail(ErrorCode::usage, "--etag-file does not go with --if-none-match: the file holds that ETag");
    }
    auto etag = ops::read_etag_file(path);
    if (!etag) return fail(etag.error());
    conditions.if_none_match = std::move(*etag);
    return {};
}

Status read_failed(Context& context, const azure::BlobAddress& blob, const Error& error) {
    if (error.code != ErrorCode::not_modified || context.output().json()) return fail(error);
    context.set_exit_code(exit_code(error, 0));
    context.output().notice(blob.to_string() + ": not modified");
    return {};
}

}  // namespace azlock::cli
