// Many files over one pool: one that fails stops no other, unless its error is true of all.
#include <atomic>
#include <filesystem>
#include <functional>
#include <map>

#include "ops/upload/upload_many.hpp"
#include "unit/ops/upload/upload_rig.hpp"

namespace azlock::test {
namespace {

namespace fs = std::filesystem;

struct Many {
    Rig rig;
    ops::Selection selection;
    ops::FileList::Directory folder = selection.files.add_root(rig.dir.path() + "/", "dir/");
    ops::ContentTypes types{ops::ContentTypeFiles{{}, rig.dir.write("mime.types", "text/x-a a\ntext/x-b b\n")}};
    ops::UploadOptions options = small_blocks(3);

    void add(const std::string& name, const std::string& content) {
        (void)rig.file(content, name);
        selection.files.add_file(folder, name, {content.size()});
    }
    ops::ManyReport run(const azure::Call& call = {}) {
        ops::ConcurrencyLimit concurrency(options.concurrency);
        const ops::Transfer transfer{concurrency, {&progress, nullptr}};
        return ops::upload_many(rig.us.client(), "box", selection, types, options, transfer, call);
    }
    ops::Progress progress;
};

}  // namespace

TEST_CASE("large and small files arrive whole, each with its own content type") {
    Many many;
    std::map<std::string, std::string> expected;
    for (int i = 0; i < 40; ++i) {
        const std::string name = std::to_string(i) + (i % 2 == 0 ? ".a" : ".b");
        expected[name] =
            noise(i % 7 == 0 ? 5 * kSmallBlock + 3 : static_cast<std::size_t>(i), static_cast<std::uint64_t>(i));
        many.add(name, expected[name]);
    }
    const auto report = many.run();
    INFO(why(report.outcome));
    REQUIRE(report.outcome);
    CHECK(report.files == 40);
    CHECK(report.uploaded == 40);
    CHECK(report.bytes == many.selection.files.total_bytes());
    CHECK(report.sent == report.bytes);
    for (const auto& [name, content] : expected) {
        CAPTURE(name);
        CHECK(many.rig.service.content("box", "dir/" + name) == content);
        const auto head = many.rig.us.client().get_properties({"box", "dir/" + name, {}}, {}, {});
        CHECK(head->properties.content.type == "text/x-" + name.substr(name.size() - 1));
    }
}

TEST_CASE("the progress of many files counts them, their bytes, and shows those that are under way") {
    Many many;
    many.options.concurrency = 1;
    many.add("small", "small");
    many.add("large", noise(3 * kSmallBlock));
    std::vector<std::string> seen;
    many.rig.faulty.on("Put Blob").nth(1).meanwhile([&] {
        for (const auto& part : many.progress.parts(9)) {
            if (part.total == 5) seen.push_back(part.name);
        }
    });
    REQUIRE(many.run().outcome);
    CHECK(seen == std::vector<std::string>{many.rig.dir.path() + "/small"});
    CHECK(many.progress.parts(9).empty());
    CHECK(many.progress.files_done == 2);
    CHECK(many.progress.sent == 5 + 3 * kSmallBlock);
    CHECK(many.progress.total == many.progress.sent);

    many.options.skip_unchanged = true;
    many.options.hash = ops::HashKind::sha256;
    REQUIRE(many.run().outcome);
    CHECK(many.progress.reused == many.progress.sent);
    CHECK(many.progress.reused_blocks == 3);
}

TEST_CASE("a file that cannot be read fails alone, and the first failure is the outcome") {
    Many many;
    many.add("a", "content of a");
    many.selection.files.add_file(many.folder, "missing", {10});
    many.selection.files.add_file(many.folder, "large", {100 * kSmallBlock});
    many.add("b", noise(3 * kSmallBlock));
    const auto report = many.run();
    CHECK(many.rig.service.content("box", "dir/a"));
    CHECK(many.rig.service.content("box", "dir/b"));
    CHECK(report.uploaded == 2);
    CHECK(report.failed == 2);
    CHECK(report.not_finished == 0);
    REQUIRE(report.failures.size() == 2);
    CHECK(report.failures.at(1).message.find("missing") != std::string::npos);
    CHECK(report.failures.at(2).code == ErrorCode::input_missing);
    REQUIRE(!report.outcome);
    CHECK(report.outcome.error().code == ErrorCode::input_missing);
    CHECK(report.outcome.error().message.find("2 of 4 files failed, the first because: ") == 0);
}

TEST_CASE("what could not be selected counts as failed, before the files") {
    Many many;
    many.add("a", "content of a");
    many.selection.failures.push_back(make_error(ErrorCode::io, "a folder cannot be read"));
    const auto report = many.run();
    CHECK(report.files == 2);
    CHECK(report.uploaded == 1);
    CHECK(report.failed == 1);
    CHECK(report.not_finished == 0);
    REQUIRE(!report.outcome);
    CHECK(report.outcome.error().code == ErrorCode::io);
    CHECK(report.outcome.error().message == "1 of 2 files failed, the first because: a folder cannot be read");
}

TEST_CASE("one file that fails keeps its own error, with its path") {
    Many many;
    many.add("a", "content of a");
    many.rig.faulty.on("Put Blob").from(1).return_status(409, "SomeRefusal");
    const auto report = many.run();
    REQUIRE(!report.outcome);
    CHECK(report.outcome.error().message.find("'" + many.rig.dir.file("a") + "': ") == 0);
    CHECK(report.outcome.error().message.find("files failed") == std::string::npos);
}

TEST_CASE("unchanged and existing files are counted apart, and send nothing") {
    Many many;
    many.add("a", "content of a");
    many.add("b", "content of b");
    REQUIRE(many.run().outcome);
    many.options.skip_unchanged = true;
    const auto unchanged = many.run();
    CHECK(unchanged.unchanged == 2);
    CHECK(unchanged.uploaded == 0);
    CHECK(unchanged.sent == 0);
    many.options.skip_unchanged = false;
    many.options.leave_existing = true;
    many.options.conditions.if_none_match = "*";
    const auto existing = many.run();
    REQUIRE(existing.outcome);
    CHECK(existing.existing == 2);
    CHECK(existing.uploaded == 0);
}

TEST_CASE("after a stop the files that were not tried are not finished, and none of them has failed") {
    Many many;
    for (int i = 0; i < 20; ++i) many.add("f" + std::to_string(i), "content");
    std::stop_source stop;
    many.rig.faulty.on("Put Blob").nth(3).meanwhile([&] { stop.request_stop(); });
    const auto report = many.run({kNoDeadline, stop.get_token()});
    REQUIRE(!report.outcome);
    CHECK(report.outcome.error().code == ErrorCode::cancelled);
    CHECK(report.failed == 0);
    CHECK(report.not_finished > 0);
    CHECK(report.uploaded + report.not_finished == 20);
}

TEST_CASE("what is refused to all of them is tried once per worker, not once per file") {
    Many many;
    for (int i = 0; i < 50; ++i) many.add("f" + std::to_string(i), "content");
    many.rig.faulty.on("Put Blob").from(1).return_status(403, "AuthorizationPermissionMismatch");
    const Status outcome = many.run().outcome;
    REQUIRE(!outcome);
    CHECK(outcome.error().code == ErrorCode::auth);
    CHECK(many.rig.faulty.requests() <= 3);
}

TEST_CASE("no more requests are under way than the gate lets in, over all files") {
    Many many;
    for (int i = 0; i < 30; ++i) {
        many.add("f" + std::to_string(i), noise(i % 3 == 0 ? 4 * kSmallBlock : 100, static_cast<std::uint64_t>(i)));
    }
    std::atomic<int> inside{0};
    std::atomic<int> most{0};
    many.rig.faulty
        .on([](const http::Request& r) { return r.content_length() >= 100 && r.path.find("dir") != std::string::npos; },
            "data")
        .from(1)
        .with("count", [&](const FaultCall& call) {
            const int now = ++inside;
            for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
            }
            auto answer = call.forward(call.request);
            --inside;
            return answer;
        });
    REQUIRE(many.run().outcome);
    CHECK(most <= 3 + 2);  // two large files may list and commit meanwhile
}

namespace {

// Uploads "tree" and lets `swap` happen between the walk and the upload.
ops::ManyReport upload_tree(Many& many, ops::SymlinkPolicy symlinks, const std::function<void(const fs::path&)>& swap) {
    const fs::path tree = many.rig.dir.file("tree");
    fs::create_directories(tree / "below");
    for (const char* name : {"tree/a", "tree/below/b", "secret"}) (void)many.rig.file(name, name);
    ops::SelectionRequest request;
    request.sources = {tree.string() + "/"};
    request.recursive = true;
    request.symlinks = symlinks;
    many.selection = ops::select_files(request).value();
    REQUIRE(many.selection.files.size() == 2);
    swap(tree);
    return many.run();
}

}  // namespace

TEST_CASE("what is put in the place of a walked file is not uploaded: a link, a directory's link, another file") {
    Many many;
    const auto symlinks = GENERATE(ops::SymlinkPolicy::skip, ops::SymlinkPolicy::refuse);
    std::string gone = "below/b";
    std::string there = "a";
    std::function<void(const fs::path&)> swap;
    SECTION("a link") {
        std::swap(gone, there);
        swap = [&](const fs::path& tree) {
            fs::remove(tree / "a");
            fs::create_symlink(many.rig.dir.file("secret"), tree / "a");
        };
    }
    SECTION("a link to a directory") {
        swap = [&](const fs::path& tree) {
            fs::create_directory(many.rig.dir.file("elsewhere"));
            fs::copy_file(many.rig.dir.file("secret"), many.rig.dir.file("elsewhere/b"));
            fs::remove_all(tree / "below");
            fs::create_directory_symlink(many.rig.dir.file("elsewhere"), tree / "below");
        };
    }
    SECTION("a link back to the very same directory") {
        swap = [&](const fs::path& tree) {
            fs::rename(tree / "below", many.rig.dir.file("moved"));
            fs::create_directory_symlink(many.rig.dir.file("moved"), tree / "below");
        };
    }
    SECTION("another file") {
        swap = [&](const fs::path& tree) { fs::rename(many.rig.dir.file("secret"), tree / "below/b"); };
    }
    SECTION("a pipe") {
        swap = [&](const fs::path& tree) {
            fs::remove(tree / "below/b");
            REQUIRE(::mkfifo((tree / "below/b").c_str(), 0600) == 0);
        };
    }
    const auto report = upload_tree(many, symlinks, swap);
    REQUIRE(!report.outcome);
    CHECK(report.outcome.error().code == ErrorCode::data);
    CHECK(report.outcome.error().target == many.rig.dir.file("tree/") + gone);
    CHECK(report.failed == 1);
    CHECK(!many.rig.service.content("box", gone));
    CHECK(many.rig.service.content("box", there) == "tree/" + there);
}

TEST_CASE("with --symlinks follow a link is what it points to, whenever it came") {
    Many many;
    const auto report = upload_tree(many, ops::SymlinkPolicy::follow, [&](const fs::path& tree) {
        fs::remove(tree / "a");
        fs::create_symlink(many.rig.dir.file("secret"), tree / "a");
    });
    INFO(why(report.outcome));
    REQUIRE(report.outcome);
    CHECK(many.rig.service.content("box", "a") == "secret");
}

}  // namespace azlock::test
