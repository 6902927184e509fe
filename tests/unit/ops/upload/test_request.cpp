// What a user asks of an upload: whether that is a pipe, one file or several, and what does not go together.
#include "ops/upload/request.hpp"
#include "support/catch.hpp"
#include "support/temp_dir.hpp"

namespace azlock::ops {
namespace {

UploadRequest request_of(std::vector<std::string> paths) {
    UploadRequest request;
    request.paths = std::move(paths);
    return request;
}

UploadRequest exec_of(std::vector<std::string> paths) {
    UploadRequest request = request_of(std::move(paths));
    request.exec = true;
    request.command = {"job", "-v"};
    return request;
}

template <typename Source>
Source made(const UploadRequest& request) {
    auto order = make_upload_order(request);
    INFO((order ? "" : order.error().message));
    REQUIRE(order);
    CHECK(order->destination == request.paths.back());
    REQUIRE(std::holds_alternative<Source>(order->source));
    return std::get<Source>(std::move(order->source));
}

// The message of the refusal; empty if there is none.
std::string refused(const UploadRequest& request) {
    const auto order = make_upload_order(request);
    if (order) return {};
    CHECK(order.error().code == ErrorCode::usage);
    return order.error().message;
}

}  // namespace

TEST_CASE("a source is one file unless it is a directory, or a flag chooses among files") {
    const test::TempDir dir;
    const std::string file = dir.write("file", "x");
    CHECK(made<OneFile>(request_of({file, "box"})).path == file);
    CHECK(made<OneFile>(request_of({dir.file("missing"), "box"})).path == dir.file("missing"));
    CHECK(made<ManyFiles>(request_of({dir.path(), "box"})).selection.sources == std::vector<std::string>{dir.path()});
    CHECK(made<ManyFiles>(request_of({file, "-", "box"})).selection.sources == std::vector<std::string>{file, "-"});
    UploadRequest request = request_of({file, "box"});
    SECTION("-r") {
        request.selection.recursive = true;
    }
    SECTION("--files-from") {
        request.selection.files_from = "list";
    }
    SECTION("--include") {
        request.selection.include = {"*"};
    }
    SECTION("--exclude") {
        request.selection.exclude = {"*"};
    }
    SECTION("--symlinks, even with the default") {
        request.symlinks = "skip";
    }
    SECTION("--dry-run") {
        request.dry_run = true;
    }
    const ManyFiles many = made<ManyFiles>(request);
    CHECK(many.selection.sources == std::vector<std::string>{file});
    CHECK(many.dry_run == request.dry_run);
    CHECK(many.selection.symlinks == SymlinkPolicy::skip);
}

TEST_CASE("links are skipped, followed or refused") {
    UploadRequest request = request_of({"a", "b", "box"});
    CHECK(made<ManyFiles>(request).selection.symlinks == SymlinkPolicy::skip);
    request.symlinks = "follow";
    CHECK(made<ManyFiles>(request).selection.symlinks == SymlinkPolicy::follow);
    request.symlinks = "refuse";
    CHECK(made<ManyFiles>(request).selection.symlinks == SymlinkPolicy::refuse);
}

TEST_CASE("standard input and a command are pipes, with what is expected of them") {
    UploadRequest request = request_of({"-", "box/data"});
    CHECK(made<PipeSource>(request).command.empty());
    request.expect_size = 12;
    request.expect_sha256 = std::string(64, 'f');
    CHECK(made<PipeSource>(request).expect_size == 12);
    CHECK(made<PipeSource>(request).expect_sha256->at(31) == std::byte{0xFF});
    request.expect_sha256 = "12";
    CHECK(refused(request) == "--expect-sha256: '12' is not 64 hexadecimal digits");
    CHECK(made<PipeSource>(exec_of({"box/data"})).command == std::vector<std::string>{"job", "-v"});
}

TEST_CASE("what belongs to files does not go with a pipe, and the other way round") {
    const std::string files_only = "flags that choose or compare files do not go with '-' and --exec";
    UploadRequest request = GENERATE(request_of({"-", "box/data"}), exec_of({"box/data"}));
    request.selection.recursive = true;
    CHECK(refused(request) == files_only);
    request.selection.recursive = false;
    request.options.skip_unchanged = true;
    CHECK(refused(request) == files_only);
    UploadRequest file = request_of({"file", "box/data"});
    file.expect_size = 0;
    CHECK(refused(file) == "--expect-size and --expect-sha256 are for '-' and --exec");
    file.expect_size.reset();
    file.expect_sha256 = std::string(64, '0');
    CHECK(refused(file) == "--expect-size and --expect-sha256 are for '-' and --exec");
}

TEST_CASE("a source and a destination are needed; a list or a command is a source, too") {
    CHECK(refused(request_of({"box"})) == "a source and a destination are needed");
    CHECK(refused(request_of({})) == "a source and a destination are needed");
    UploadRequest listed = request_of({"box"});
    listed.selection.files_from = "-";
    CHECK(made<ManyFiles>(listed).selection.sources.empty());
    listed.selection.null_separated = true;
    CHECK(refused(listed).empty());
    listed.selection.files_from.reset();
    CHECK(refused(listed) == "--null goes with --files-from");
    const std::string one = "--exec: one destination and a command are needed";
    CHECK(refused(exec_of({})) == one);
    CHECK(refused(exec_of({"file", "box/data"})) == one);
    UploadRequest no_command = exec_of({"box/data"});
    no_command.command.clear();
    CHECK(refused(no_command) == one);
}

TEST_CASE("to overwrite nothing is a condition, and the only one") {
    UploadRequest request = request_of({"file", "box/data"});
    CHECK(!make_upload_order(request)->options.conditions.any());
    request.options.leave_existing = true;
    CHECK(make_upload_order(request)->options.conditions.if_none_match == "*");
    request.options.conditions.if_match = "\"0x1\"";
    CHECK(refused(request) == "--no-overwrite is a condition and does not go with --if-...");
}

TEST_CASE("a condition on one version and a lease are for one file") {
    const std::string one = "--if-match, dates and --lease-id are about one blob: upload one file";
    UploadRequest request = request_of({"a", "b", "box"});
    SECTION("a version") {
        request.options.conditions.if_match = "\"0x1\"";
    }
    SECTION("a version that it must not be") {
        request.options.conditions.if_none_match = "\"0x1\"";
    }
    SECTION("a lease") {
        request.options.conditions.lease_id = "id";
    }
    CHECK(refused(request) == one);
    request.paths = {"a", "box"};
    CHECK(refused(request).empty());
    UploadRequest absent = request_of({"a", "b", "box"});
    absent.options.conditions.if_none_match = "*";
    CHECK(refused(absent).empty());
}

TEST_CASE("blocks of one size do not go with cuts that the content determines") {
    UploadRequest request = request_of({"file", "box/data"});
    request.options.block_size = 4096;
    CHECK(refused(request).empty());
    request.options.cut = CutKind::content;
    CHECK(refused(request).find("--block-size does not go with --chunking content") == 0);
}

TEST_CASE("only an upload that was stopped and has begun can be continued") {
    const Error stopped = make_error(ErrorCode::cancelled, "stopped by a signal");
    Progress progress;
    CHECK(!can_be_continued(stopped, false, progress));
    CHECK(can_be_continued(stopped, true, progress));
    SECTION("sent") {
        progress.sent = 1;
    }
    SECTION("there before") {
        progress.reused = 1;
    }
    CHECK(can_be_continued(stopped, false, progress));
    CHECK(!can_be_continued(make_error(ErrorCode::unavailable, "no answer"), true, progress));
}

}  // namespace azlock::ops
