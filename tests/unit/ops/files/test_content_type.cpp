// Content types: which database is used, and which of its rules applies.
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "ops/files/content_type.hpp"
#include "ops/files/mime_globs.hpp"
#include "support/catch.hpp"
#include "support/temp_dir.hpp"

namespace azlock::ops {
namespace {

constexpr std::string_view kGlobs =
    "# a comment: of no use\n"
    "80:text/html:*.html\n"
    "50:text/x-c++src:*.C:cs\n"
    "50:text/x-csrc:*.c\n"
    "50:text/x-c++src:*.c++\n"
    "50:application/gzip:*.gz\n"
    "50:application/x-compressed-tar:*.tar.gz\n"
    "50:text/x-makefile:makefile\n"
    "50:application/x-core:core:cs\n"
    "50:text/markdown:*.md\n"
    "40:text/x-light:*.tar.gz.x\n"
    "10:text/x-any:*\n"
    "10:text/x-readme:readme*\n";

std::string type_of(std::string_view globs, std::string_view name) {
    MimeGlobs table;
    table.add_globs2(globs);
    return table.find(name).value_or("none");
}

}  // namespace

TEST_CASE("the longest end counts, and no other pattern") {
    CHECK(type_of(kGlobs, "a.html") == "text/html");
    CHECK(type_of(kGlobs, "a.gz") == "application/gzip");
    CHECK(type_of(kGlobs, "a.tar.gz") == "application/x-compressed-tar");
    CHECK(type_of(kGlobs, ".gz") == "application/gzip");
    CHECK(type_of(kGlobs, "README.md") == "text/markdown");
    CHECK(type_of(kGlobs, "a.tar.gz.x") == "text/x-light");
    CHECK(type_of(kGlobs, "a.b.tar.gz") == "application/x-compressed-tar");
    CHECK(type_of(kGlobs, "README") == "none");
    CHECK(type_of(kGlobs, "gz") == "none");
    CHECK(type_of(kGlobs, "unknown.xyz") == "none");
    CHECK(type_of(kGlobs, "") == "none");
}

TEST_CASE("a rule that is a whole name goes before the others") {
    CHECK(type_of(kGlobs, "makefile") == "text/x-makefile");
    CHECK(type_of(kGlobs, "Makefile") == "text/x-makefile");
    CHECK(type_of("90:text/x-any:*.txt\n10:text/x-this:this.txt\n", "this.txt") == "text/x-this");
}

TEST_CASE("case counts only where a rule says so") {
    CHECK(type_of(kGlobs, "main.C") == "text/x-c++src");
    CHECK(type_of(kGlobs, "main.c") == "text/x-csrc");
    CHECK(type_of(kGlobs, "INDEX.HTML") == "text/html");
    CHECK(type_of(kGlobs, "A.Tar.GZ") == "application/x-compressed-tar");
    CHECK(type_of(kGlobs, "core") == "application/x-core");
    CHECK(type_of(kGlobs, "CORE") == "none");
    CHECK(type_of("50:text/x-c++src:*.C:cs\n", "main.c") == "none");
}

TEST_CASE("of two equal rules the first counts, and a type can be closed to later files") {
    MimeGlobs table;
    table.add_globs2("50:a/first:*.x\n50:a/second:*.x\n50:a/closed:*.own\n50:a/closed:__NOGLOBS__\n");
    table.add_globs2("50:a/third:*.x\n60:a/nearer:*.y\n50:a/closed:*.theirs\n50:a/open:*.z\n");
    table.add_globs2("90:a/fourth:*.y\n");
    CHECK(table.find("f.x") == "a/first");
    CHECK(table.find("f.y") == "a/nearer");
    CHECK(table.find("f.own") == "a/closed");
    CHECK(table.find("f.theirs") == std::nullopt);
    CHECK(table.find("f.z") == "a/open");
}

TEST_CASE("lines that make no sense are left out, and no type can break a header") {
    CHECK(type_of("50:text/x:*.a\nnonsense\n::\n50\n50:text/x\nx:text/y:*.b\n-1:text/y:*.b\n"
                  "50:text/y:\n50:text/y:a/b\n50:text/y:[b\n50:no-slash:*.b\n50:text/y z:*.b\n50:/y:*.b\n50:text/:*.b\n"
                  "50:text/y\r:*.b\n50:t\xC3\xA4xt/y:*.b\n50:a/b/c:*.b\n",
                  "f.b") == "none");
    CHECK(type_of("nonsense\n50:text/x:*.a", "f.a") == "text/x");
    MimeGlobs table;
    table.add_mime_types(
        "text/x a b#c\n# text/y b\nno-slash d\ntext/z\n\n \ttext/t\td  tar.gz\t\n\ntext/w *.w [w\ntext/v");
    CHECK(table.find("f.a") == "text/x");
    CHECK(table.find("f.B") == "text/x");
    CHECK(table.find("f.c") == std::nullopt);
    CHECK(table.find("f.d") == "text/t");
    CHECK(table.find("f.tar.gz") == "text/t");
    CHECK(table.find("f.w") == std::nullopt);
    CHECK(table.find("d") == std::nullopt);
}

TEST_CASE("the shared database goes before mime.types and that before the table of our own") {
    const test::TempDir dir;
    ContentTypeFiles files;
    files.globs2 = {dir.file("none"), dir.write("near", "50:a/near:*.one\n"),
                    dir.write("far", "50:a/far:*.one\n50:a/far:*.two\n50:a/far:*.json\n")};
    files.mime_types = dir.write("mime.types", "b/types one two three html\n");
    const ContentTypes types(files);
    CHECK(types.of("x.one") == "a/near");
    CHECK(types.of("x.two") == "a/far");
    CHECK(types.of("x.three") == "b/types");
    CHECK(types.of("x.json") == "a/far");
    CHECK(types.of("x.html") == "b/types");
    CHECK(types.of("x.png") == "image/png");
    CHECK(types.of("x.nothing") == kUnknownContentType);
    CHECK(types.of("dir.png/x") == kUnknownContentType);
    CHECK(types.of("dir/x.png") == "image/png");
    CHECK(types.of("") == kUnknownContentType);
    CHECK(types.of("dir.png/") == kUnknownContentType);
}

TEST_CASE("without any database the common types are known") {
    const ContentTypes types(ContentTypeFiles{});
    CHECK(types.of("a.tar.gz") == "application/gzip");
    CHECK(types.of("INDEX.HTML") == "text/html");
    CHECK(types.of("module.wasm") == "application/wasm");
    CHECK(types.of("a.log") == "text/plain");
    CHECK(types.of("a") == kUnknownContentType);
}

TEST_CASE("a database that is a directory or a device is as none") {
    const test::TempDir dir;
    const ContentTypes types(ContentTypeFiles{{dir.path(), "/dev/zero"}, "/dev/zero"});
    CHECK(types.of("a.json") == "application/json");
}

TEST_CASE("the database is read when it is first asked for, by whichever thread") {
    const test::TempDir dir;
    const std::string path = dir.file("globs2");
    const ContentTypes types(ContentTypeFiles{{path}, ""});
    dir.write("globs2", "50:a/b:*.one\n");
    std::vector<std::string> answers(8);
    std::vector<std::jthread> threads;
    for (std::string& answer : answers) threads.emplace_back([&types, &answer] { answer = types.of("x.one"); });
    threads.clear();
    CHECK(answers == std::vector<std::string>(8, "a/b"));
    dir.write("globs2", "50:a/c:*.one\n");
    CHECK(types.of("x.one") == "a/b");
}

TEST_CASE("a type that is given stays, and an empty one is that of the name") {
    std::string type = "text/mine";
    fill_content_type(type, "page.html");
    CHECK(type == "text/mine");
    type.clear();
    fill_content_type(type, "to/page.html");
    CHECK(type == "text/html");
}

TEST_CASE("the environment says where the databases are") {
    std::map<std::string, std::string> variables;
    const auto files = [&variables] {
        return system_content_type_files([&variables](const char* name) -> const char* {
            const auto found = variables.find(name);
            return found == variables.end() ? nullptr : found->second.c_str();
        });
    };
    using Paths = std::vector<std::string>;
    CHECK(files().globs2 == Paths{"/usr/local/share/mime/globs2", "/usr/share/mime/globs2"});
    CHECK(files().mime_types == "/etc/mime.types");
    variables["HOME"] = "/home/me";
    CHECK(files().globs2.front() == "/home/me/.local/share/mime/globs2");
    variables["XDG_DATA_HOME"] = "/data";
    variables["XDG_DATA_DIRS"] = "/a:relative::/b";
    CHECK(files().globs2 == Paths{"/data/mime/globs2", "/a/mime/globs2", "/b/mime/globs2"});
}

}  // namespace azlock::ops
