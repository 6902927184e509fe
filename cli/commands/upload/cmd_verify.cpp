// `azlock verify FILE BLOB`: does the blob hold the file's bytes, and what proves it?

#include "base/quantity.hpp"
#include "base/text.hpp"
#include "cli/flags/flags.hpp"
#include "cli/program/command.hpp"
#include "ops/verify/verify.hpp"

namespace azlock::cli {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  azlock verify big.iso images/big.iso\n"
    "  azlock verify photo.jpg pictures/photo.jpg --download\n"
    "Exit code 0: the same; 65: different; 73: nothing in the blob proves either, and --download was not given.\n";

struct Options {
    std::string file;
    std::string blob;
    ConditionFlags conditions;
    ops::VerifyOptions verify;
};

std::string proof_text(const ops::VerifyReport& report) {
    switch (report.proof) {
        case ops::Proof::block_ids:
            return "by the " + std::string(ops::to_string(*report.hash)) + " of its blocks, without downloading";
        case ops::Proof::md5: return "by its stored MD5, without downloading";
        case ops::Proof::content: return "byte by byte, downloaded";
        case ops::Proof::length: return "by its length";
    }
    return {};
}

std::string difference_text(const ops::VerifyReport& report) {
    std::string out =
        "the file has " + std::to_string(report.file_bytes) + " bytes, the blob " + std::to_string(report.blob_bytes);
    const ops::BlockRange& range = *report.different;
    if (report.proof == ops::Proof::md5) return out + "; their MD5 differ; --download finds where";
    if (range.length <= 1) return out + "; they differ from byte " + std::to_string(range.offset) + " on";
    return out + "; they differ first within bytes " + std::to_string(range.offset) + " to " +
           std::to_string(range.offset + range.length - 1);
}

Status run(const Options& o, Context& context) {
    auto conditions = read_conditions(o.conditions);
    if (!conditions) return fail(conditions.error());
    ops::VerifyOptions options = o.verify;
    options.conditions = std::move(*conditions);
    auto opened = context.open(o.blob);
    if (!opened) return fail(opened.error());
    if (opened->address.blob.empty()) return fail(ErrorCode::usage, "a blob must be named, not a container");
    auto report = ops::verify_file(opened->client(), opened->address, o.file, options, context.call());
    if (!report) return fail(report.error());
    const std::string target = opened->address.to_string();
    if (context.output().json()) {
        Json out;
        out["target"] = target;
        out["same"] = report->same;
        out["proof"] = ops::to_string(report->proof);
        out["hash"] = report->hash ? Json(ops::to_string(*report->hash)) : Json();
        out["file_bytes"] = report->file_bytes;
        out["blob_bytes"] = report->blob_bytes;
        out["different_from"] = report->different ? Json(report->different->offset) : Json();
        out["different_length"] = report->different ? Json(report->different->length) : Json();
        out["etag"] = report->etag;
        if (auto written = context.output().object(out); !written) return written;
        if (!report->same) context.set_exit_code(65);
        return {};
    }
    if (report->same) {
        context.output().notice(target + ": holds the same " + format_bytes(report->file_bytes) + " as '" +
                                printable(o.file) + "', " + proof_text(*report));
        return {};
    }
    Error error = make_error(ErrorCode::data, "is not '" + printable(o.file) + "', " + proof_text(*report) + ": " +
                                                  difference_text(*report));
    error.target = target;
    return fail(std::move(error));
}

}  // namespace

void register_verify(Parser& app, Commands& commands) {
    auto o = std::make_shared<Options>();
    Parser* cmd =
        app.add_subcommand("verify", "Compare a file with a blob, without downloading it if that is possible");
    cmd->add_option("FILE", o->file, "The local file")->required();
    cmd->add_option("BLOB", o->blob, "CONTAINER/BLOB, az://... or URL")->required();
    cmd->add_flag("--download", o->verify.download, "Download and compare if nothing else proves it");
    add_condition_flags(*cmd, o->conditions);
    cmd->footer(kExamples);
    commands.add(cmd, [o](Context& context) { return run(*o, context); });
}

}  // namespace azlock::cli
