// What a user sees of the progress, as a function of counts and screen.
#include "cli/output/progress_text.hpp"
#include "support/catch.hpp"

using azlock::cli::columns_of;
using azlock::cli::progress_lines;
using azlock::cli::progress_text;
using azlock::cli::ProgressView;
using azlock::cli::TerminalSize;

namespace {

constexpr std::uint64_t kMiB = 1024 * 1024;
using Lines = std::vector<std::string>;

ProgressView under_way() {
    ProgressView v;
    v.name = "big.iso";
    v.total = 4096 * kMiB;
    v.sent = 1700 * kMiB;
    v.moving = 32 * kMiB;
    v.rate = 110.0 * kMiB;
    return v;
}

ProgressView troubled() {
    ProgressView v = under_way();
    v.reused = 200 * kMiB;
    v.reused_blocks = 25;
    v.retries = 2;
    return v;
}

ProgressView several() {
    ProgressView v = under_way();
    v.name.clear();
    v.files = 120;
    v.files_done = 3;
    v.parts = {{"dist/app.js", 100 * kMiB, 50 * kMiB}, {"dist/a/very/long/folder/name/index.html", kMiB, 0}};
    return v;
}

std::string at(std::size_t columns, const ProgressView& v, bool color = false) {
    return progress_lines(v, {columns, 24}, color).front();
}

std::string without_color(const std::string& line) {
    std::string out;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] == '\x1b')
            i = line.find('m', i);
        else
            out += line[i];
    }
    return out;
}

}  // namespace

TEST_CASE("the wider the terminal, the more a line says of the progress") {
    CHECK(at(120, under_way()) ==
          "big.iso  42 %  [===============>                        ]  1.7 GiB of 4 GiB  110 MiB/s  22 s left");
    CHECK(at(80, under_way()) == "big.iso  42 %  [========>             ]  1.7 GiB of 4 GiB  110 MiB/s  22 s left");
    CHECK(at(40, under_way()) == "big.iso  42 %  110 MiB/s  22 s left");
    CHECK(at(20, under_way()) == "42 %  22 s left");
    CHECK(at(8, under_way()) == "42 %");
}

TEST_CASE("reused blocks and retries are in the line as far as there is room") {
    CHECK(at(120, troubled()) ==
          "big.iso  47 %  [=========>             ]  1.9 GiB of 4 GiB  110 MiB/s  20 s left  "
          "25 blocks (200 MiB) reused  2 retries");
    CHECK(at(80, troubled()) == "big.iso  47 %  [====>      ]  1.9 GiB of 4 GiB  110 MiB/s  20 s left  2 retries");
    CHECK(at(40, troubled()) == "47 %  110 MiB/s  20 s left  2 retries");
    CHECK(at(20, troubled()) == "47 %  20 s left");
}

TEST_CASE("no line of the progress is as wide as the terminal, with or without colours") {
    for (ProgressView v : {under_way(), troubled(), several()}) {
        for (const std::string name : {"", "x", "\xc3\xa4\xe6\xbc\xa2\xe5\xad\x97-\xe6\xbc\xa2\xe5\xad\x97.iso",
                                       "folder/with/a/name/that/is/really/long/and/has/an/end.tar.gz"}) {
            v.name = name;
            for (std::size_t columns = 5; columns <= 140; ++columns) {
                CAPTURE(columns, name);
                const Lines plain = progress_lines(v, {columns, 24}, false);
                const Lines colored = progress_lines(v, {columns, 24}, true);
                REQUIRE(plain.size() == colored.size());
                CHECK(plain.front().find(" %") != std::string::npos);
                for (std::size_t i = 0; i < plain.size(); ++i) {
                    CHECK(columns_of(plain[i]) < columns);
                    CHECK(plain[i] == without_color(colored[i]));
                    CHECK(plain[i].find('\x1b') == std::string::npos);
                }
            }
        }
    }
}

TEST_CASE("a bar and retries have colours if the terminal may have them") {
    const std::string line = at(120, troubled(), true);
    CHECK(line.find("[\x1b[32m=========>\x1b[0m             ]") != std::string::npos);
    CHECK(line.find("\x1b[33m2 retries\x1b[0m") != std::string::npos);
}

TEST_CASE("a long name in the progress keeps its end") {
    ProgressView v = under_way();
    v.name = "backups/2026/november/database-of-the-shop.sql.gz";
    CHECK(at(80, v).substr(0, 30) == "...of-the-shop.sql.gz  42 %  [");
    CHECK(at(40, v) == "...p.sql.gz  42 %  110 MiB/s  22 s left");
}

TEST_CASE("several files: the whole, and a line for each of the first files that are under way") {
    const Lines lines = progress_lines(several(), {80, 24}, false);
    REQUIRE(lines.size() == 3);
    CHECK(lines[0] == "42 %  [=====>         ]  1.7 GiB of 4 GiB  3 of 120 files  110 MiB/s  22 s left");
    CHECK(lines[1] == "  dist/app.js  50 %  of 100 MiB");
    CHECK(lines[2] == "  dist/a/very/long/folder/name/index.html  0 %  of 1 MiB");
    CHECK(progress_lines(several(), {40, 24}, false)[2] == "  ...der/name/index.html  0 %  of 1 MiB");
    CHECK(progress_lines(several(), {20, 24}, false)[2] == "  ...ndex.html  0 %");

    ProgressView many = several();
    many.parts.resize(8, {"dist/other", kMiB, 0});
    CHECK(progress_lines(many, {80, 24}, false).size() == 4);
    CHECK(progress_lines(many, {80, 7}, false).size() == 1);
    CHECK(progress_lines(many, {8, 24}, false).size() == 1);
}

TEST_CASE("progress without a known end has no per cent and no bar") {
    ProgressView v = under_way();
    v.total = 0;
    CHECK(at(80, v) == "big.iso  1.7 GiB  110 MiB/s");
    CHECK(at(12, v) == "1.7 GiB");
}

TEST_CASE("what is counted in pieces shows their number and the time so far") {
    ProgressView v;
    v.name = "artifacts";
    v.unit = "blob";
    v.items = 12'000;
    v.elapsed = std::chrono::milliseconds(14'900);
    v.retries = 1;
    CHECK(at(80, v) == "artifacts  12000 blobs  14 s  1 retry");
    CHECK(at(20, v) == "12000 blobs  14 s");
    CHECK(progress_text(v) == "artifacts: 12000 blobs, 14 s, 1 retry");
}

TEST_CASE("pieces of a file of a known length have a bar, too") {
    ProgressView v = under_way();
    v.unit = "task";
    v.items = 1;
    CHECK(at(120, v).find("]  1 task  1.7 GiB of 4 GiB  ") != std::string::npos);
}

TEST_CASE("while the source is compared, the progress says so") {
    ProgressView v = under_way();
    v.sent = v.moving = 0;
    v.compared = 2048 * kMiB;
    CHECK(progress_text(v) == "big.iso: 2 GiB of 4 GiB compared, 50 %, 110 MiB/s, 19 s left");
    v.sent = 1;
    CHECK(progress_text(v) == "big.iso: 1 B of 4 GiB, 0 %, 110 MiB/s, 38 s left");
}

TEST_CASE("elsewhere the progress is one line with everything") {
    CHECK(progress_text(troubled()) ==
          "big.iso: 1.9 GiB of 4 GiB, 47 %, 110 MiB/s, 20 s left, 25 blocks (200 MiB) reused, 2 retries");
}

TEST_CASE("a progress that exceeds its total ends at 100 per cent") {
    ProgressView v = under_way();
    v.sent = 5000 * kMiB;
    CHECK(at(40, v) == "100 %  4 GiB of 4 GiB  110 MiB/s");
    CHECK(at(80, v).find("[==================================]  4 GiB of 4 GiB") != std::string::npos);
}
