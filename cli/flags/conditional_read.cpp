#include "cli/flags/conditional_read.hpp"

#include "cli/output/exit_code.hpp"

namespace azlock::cli {

void add_etag_file_flag(Parser& command, std::string& path) {
    command
        .add_option("--etag-file", path,
                    "Only if the ETag is not the one in this file, if that exists; save the new ETag there")
        ->type_name("FILE")
        ->group("Conditions");
}

Status read_failed(Context& context, const azure::BlobAddress& blob, const Error& error) {
    if (error.code != ErrorCode::not_modified || context.output().json()) return fail(error);
    context.set_exit_code(exit_code(error, 0));
    context.output().notice(blob.to_string() + ": not modified");
    return {};
}

}  // namespace azlock::cli
