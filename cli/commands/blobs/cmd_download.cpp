// `azlock download BLOB [FILE]`: writes one version of a blob to a file, completely or not at all.
#include <cerrno>
#include <memory>

#include <sys/stat.h>

#include "base/atomic_file.hpp"
#include "base/quantity.hpp"
#include "cli/flags/conditional_read.hpp"
#include "cli/flags/flags.hpp"
#include "cli/program/command.hpp"
#include "ops/read/download.hpp"
#include "ops/read/etag_file.hpp"

namespace azlock::cli {
namespace {

struct Options {
    std::string blob;
    std::string file;
    ConditionFlags conditions;
    std::string etag_file;
    std::size_t concurrency = 4;
    bool no_check_md5 = false;
};

constexpr const char* kExamples =
    "Examples:\n"
    "  azlock download artifacts/build.tar.gz\n"
    "  azlock download artifacts/build.tar.gz /tmp/b.tgz --if-match \"$etag\"\n"
    "  azlock download artifacts/build.tar.gz - | tar tz\n"
    "  azlock download settings/app.json --etag-file app.json.etag   # exit code 80: nothing new\n";

class FileTarget final : public ops::DownloadTarget {
  public:
    explicit FileTarget(AtomicFile& file) : file_(file) {}
    [[nodiscard]] Status write(ByteView data) override {
        if (auto ok = file_.write_at(position_, data); !ok) return ok;
        position_ += data.size();
        return {};
    }
    [[nodiscard]] bool restart() override {
        if (position_ > 0 && (!file_.random_access() || !file_.resize(0))) return false;
        position_ = 0;
        return true;
    }

  private:
    AtomicFile& file_;
    std::uint64_t position_ = 0;
};

class StdoutTarget final : public ops::DownloadTarget {
  public:
    explicit StdoutTarget(Output& output) : output_(output) {}
    [[nodiscard]] Status write(ByteView data) override {
        written_ = written_ || !data.empty();
        return output_.bytes(data);
    }
    [[nodiscard]] bool restart() override { return !written_; }

  private:
    Output& output_;
    bool written_ = false;
};

bool is_directory(const std::string& path) {
    struct stat info {};
    return stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

// The file to write: FILE, or the last path segment of the blob's name (inside FILE, if that is a directory). Error:
// usage, if that segment cannot be a file name (empty, "..").
Result<std::string> local_name(const std::string& file, const azure::BlobAddress& address) {
    if (!file.empty() && !is_directory(file)) return file;
    const std::string name = address.blob.substr(address.blob.find_last_of('/') + 1);
    if (name.empty() || name == "." || name == ".." || name == "-") {
        return fail(ErrorCode::usage, "the blob's name cannot be a file name", "give the FILE to write");
    }
    if (file.empty()) return "./" + name;
    return file + (file.ends_with('/') ? "" : "/") + name;
}

// A missing file must be downloaded, whatever ETag was saved for it.
bool is_missing(const std::string& path) {
    struct stat info {};
    return stat(path.c_str(), &info) != 0 && errno == ENOENT;
}

bool is_same_file(const std::string& a, const std::string& b) {
    struct stat info_a {};
    struct stat info_b {};
    if (stat(a.c_str(), &info_a) != 0 || stat(b.c_str(), &info_b) != 0) return a == b;
    return info_a.st_dev == info_b.st_dev && info_a.st_ino == info_b.st_ino;
}

Status to_standard_output(const Options& o, const ops::DownloadOptions& options, const Opened& opened,
                          Context& context) {
    StdoutTarget target(context.output());
    auto report = ops::download_blob(opened.client(), opened.address, target, options, context.call());
    if (!report) return read_failed(context, opened.address, report.error());
    if (o.etag_file.empty()) return {};
    return ops::save_etag_file(o.etag_file, report->properties.etag);
}

Status run(const Options& o, Context& context) {
    auto conditions = read_conditions(o.conditions);
    if (!conditions) return fail(conditions.error());
    if (auto ok = check_read_conditions(*conditions); !ok) return ok;
    if (auto ok = take_etag_file(o.etag_file, *conditions); !ok) return ok;
    const bool to_stdout = o.file == "-";
    if (to_stdout && context.output().json()) {
        return fail(ErrorCode::usage, "--json needs a FILE: standard output carries the content");
    }
    auto opened = context.open(o.blob);
    if (!opened) return fail(opened.error());
    if (opened->address.is_container())
        return fail(ErrorCode::usage, "'" + o.blob + "' names no blob", "name it as CONTAINER/BLOB");

    ops::DownloadOptions options;
    options.conditions = std::move(*conditions);
    options.concurrency = o.concurrency;
    options.check_md5 = !o.no_check_md5;
    const BootTime start = context.clock().now();
    if (to_stdout) return to_standard_output(o, options, *opened, context);
    const auto path = local_name(o.file, opened->address);
    if (!path) return fail(path.error());
    if (!o.etag_file.empty()) {
        if (is_same_file(*path, o.etag_file)) {
            return fail(ErrorCode::usage, "--etag-file names the file that the content is written to");
        }
        if (is_missing(*path)) options.conditions.if_none_match.clear();
    }
    auto file = AtomicFile::create(*path);
    if (!file) return fail(file.error());
    FileTarget target(*file);
    auto report = ops::download_blob(opened->client(), opened->address, target, options, context.call());
    if (!report) return read_failed(context, opened->address, report.error());
    const Status kept =
        o.etag_file.empty() ? file->commit() : ops::commit_with_etag(*file, o.etag_file, report->properties.etag);
    if (!kept) return kept;

    const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(context.clock().now() - start);
    if (!context.output().json()) {
        context.output().notice(*path + ": downloaded " + format_bytes(report->bytes) + ", " + format_duration(took));
        return {};
    }
    Json out;
    out["target"] = opened->address.to_string();
    out["file"] = *path;
    out["etag"] = report->properties.etag;
    out["bytes"] = report->bytes;
    out["md5_checked"] = report->md5_checked;
    out["requests"] = context.wire().requests();
    out["retries"] = context.wire().retries();
    out["seconds"] = static_cast<double>(took.count()) / 1000.0;
    return context.output().object(out);
}

}  // namespace

void register_download(Parser& app, Commands& commands) {
    auto o = std::make_shared<Options>();
    Parser* cmd = app.add_subcommand("download", "Download a blob");
    cmd->add_option("BLOB", o->blob, "CONTAINER/BLOB, az://... or URL")->required();
    cmd->add_option("FILE", o->file,
                    "File or directory to write, - for standard output (default: the blob's name in this directory)");
    cmd->add_option("--concurrency", o->concurrency, "Ranges fetched at once; each takes 4 MiB of memory")
        ->type_name("N")
        ->range(1, 256)
        ->show_default();
    cmd->add_flag("--no-check-md5", o->no_check_md5, "Do not compare with the blob's stored MD5");
    add_condition_flags(*cmd, o->conditions);
    add_etag_file_flag(*cmd, o->etag_file);
    cmd->footer(kExamples);
    commands.add(cmd, [o](Context& context) { return run(*o, context); });
}

}  // namespace azlock::cli
