// A download to a file: where it goes, and what the ETag file means for it.
#include "ops/read/download_file.hpp"
#include "support/catch.hpp"
#include "unit/rig.hpp"

namespace azlock::ops {
namespace {

using test::read_text_file;
using test::Rig;
using test::why;

struct Download {
    Download() { rig.service.put("box", "a/data", "content"); }
    Result<FileDownload> run(const std::string& file, const std::string& etag_file = {}) {
        return download_to_file(rig.us.client(), blob, file, etag_file, options, {});
    }
    [[nodiscard]] std::string etag() { return '"' + rig.service.peek("box", "a/data")->etag + '"'; }

    Rig rig;
    azure::BlobAddress blob{"box", "a/data", {}};
    DownloadOptions options;
};

}  // namespace

TEST_CASE("the file has the given name or, in a directory, that of the blob's last part") {
    Download d;
    SECTION("a name") {
        const std::string file = d.rig.dir.file("copy");
        const auto done = d.run(file);
        INFO(why(done));
        REQUIRE(done);
        CHECK(done->path == file);
        CHECK(done->report.bytes == 7);
        CHECK(read_text_file(file) == "content");
    }
    SECTION("a directory, with and without a slash") {
        CHECK(d.run(d.rig.dir.path()).value().path == d.rig.dir.file("data"));
        CHECK(d.run(d.rig.dir.path() + "/").value().path == d.rig.dir.file("data"));
        CHECK(read_text_file(d.rig.dir.file("data")) == "content");
    }
    SECTION("a last part that is no file name") {
        for (const char* name : {"a/", "a/.", "a/..", "-"}) {
            CAPTURE(name);
            d.blob.blob = name;
            const auto done = d.run(d.rig.dir.path());
            REQUIRE(!done);
            CHECK(done.error().code == ErrorCode::usage);
        }
        CHECK(d.rig.service.log().empty());
    }
}

TEST_CASE("a download that fails leaves neither a file nor an ETag") {
    Download d;
    d.rig.faulty.on("Get Blob").from(1).return_status(403, "AuthorizationPermissionMismatch");
    REQUIRE(!d.run(d.rig.dir.file("copy"), d.rig.dir.file("etag")));
    CHECK(d.rig.dir.names().empty());
}

TEST_CASE("a known ETag keeps a file that is there, and not one that is missing") {
    Download d;
    d.options.conditions.if_none_match = d.etag();
    const std::string etag_file = d.rig.dir.write("etag", d.etag() + "\n");
    const std::string file = d.rig.dir.file("copy");
    SECTION("there") {
        d.rig.dir.write("copy", "older");
        const auto done = d.run(file, etag_file);
        REQUIRE(!done);
        CHECK(done.error().code == ErrorCode::not_modified);
        CHECK(read_text_file(file) == "older");
    }
    SECTION("missing") {
        CHECK(d.run(file, etag_file));
        CHECK(read_text_file(file) == "content");
    }
    SECTION("missing, but the ETag is the user's condition") {
        const auto done = d.run(file);
        REQUIRE(!done);
        CHECK(done.error().code == ErrorCode::not_modified);
    }
}

TEST_CASE("the ETag of what was written is saved, and not over the content") {
    Download d;
    const std::string file = d.rig.dir.file("copy");
    const std::string etag_file = d.rig.dir.file("etag");
    SECTION("in its file") {
        REQUIRE(d.run(file, etag_file));
        CHECK(read_text_file(etag_file) == d.etag() + "\n");
    }
    SECTION("the same name, also before the file is there: usage") {
        const auto done = d.run(file, file);
        REQUIRE(!done);
        CHECK(done.error().code == ErrorCode::usage);
        CHECK(d.rig.dir.names().empty());
    }
    SECTION("the same file under another name: usage") {
        d.rig.dir.write("copy", "older");
        const auto done = d.run(file, d.rig.dir.path() + "/./copy");
        REQUIRE(!done);
        CHECK(done.error().code == ErrorCode::usage);
        CHECK(read_text_file(file) == "older");
    }
}

TEST_CASE("the file - is standard output, whose ETag is saved, too") {
    Download d;
    struct Target final : DownloadTarget {
        Status write(ByteView data) override {
            text.append(reinterpret_cast<const char*>(data.data()), data.size());
            return {};
        }
        bool restart() override { return false; }
        std::string text;
    } target;
    const std::string etag_file = d.rig.dir.file("etag");
    const auto download = [&](const std::string& file, const std::string& etag) {
        return download_as_asked(d.rig.us.client(), d.blob, file, etag, target, d.options, {}).value();
    };
    CHECK_FALSE(download("-", etag_file));
    CHECK(target.text == "content");
    CHECK(read_text_file(etag_file) == d.etag() + "\n");
    CHECK_FALSE(download("-", {}));
    CHECK(target.text == "contentcontent");
    CHECK(download(d.rig.dir.file("-"), {}));
    CHECK(target.text == "contentcontent");
    CHECK(read_text_file(d.rig.dir.file("-")) == "content");
}

TEST_CASE("a download removes what killed downloads into that folder have left") {
    Download d;
    d.rig.dir.write(".azlock-00000000-1111-2222-3333-444444444444.part", "half");
    REQUIRE(d.run(d.rig.dir.file("copy")));
    CHECK(d.rig.dir.names() == std::vector<std::string>{"copy"});
}

}  // namespace azlock::ops
