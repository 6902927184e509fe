// The flags for the input of append: their sizes fit together, or one line says what does not fit.
#include "cli/commands/append/append_input_flags.hpp"
#include "support/catch.hpp"

namespace azlock::cli {
namespace {

Result<ops::AppendInputOptions> read(std::vector<std::string> arguments, ops::AppendInputRequest request = {}) {
    Parser app;
    add_append_input_flags(app, request);
    if (const auto parsed = app.parse(std::move(arguments)); !parsed) return fail(parsed.error());
    return ops::make_append_input(request);
}

Error refused(std::vector<std::string> arguments, ops::AppendInputRequest request = {}) {
    const auto options = read(std::move(arguments), std::move(request));
    REQUIRE(!options);
    CHECK(options.error().code == ErrorCode::usage);
    CHECK(options.error().message.find('\n') == std::string::npos);
    return options.error();
}

ops::AppendInputRequest of_file() {
    ops::AppendInputRequest request;
    request.file = "job.log";
    return request;
}

}  // namespace

TEST_CASE("without flags an input is cut anywhere, at 1 MiB or after a second, and a full buffer stops it") {
    const auto options = read({});
    REQUIRE(options);
    CHECK(options->buffer.pace.batch_size == 1U << 20U);
    CHECK(options->buffer.pace.flush_interval == std::chrono::seconds(1));
    CHECK(options->buffer.memory == 16U << 20U);
    CHECK(options->buffer.on_full == ops::OnFull::wait);
    CHECK(!options->cut.lines);
    CHECK(!options->cut.stamp);
    CHECK(!options->spool);
    CHECK(options->tee == -1);
}

TEST_CASE("a timestamp has a format only after an equals sign, so that it never takes the next argument") {
    const WallTime time{std::chrono::seconds(1'700'000'000)};
    CHECK(read({"--timestamp"})->cut.stamp->at(time) == "2023-11-14T22:13:20.000000Z ");
    CHECK(read({"--timestamp=%H:%M"})->cut.stamp->at(time) == "22:13 ");
    CHECK(!read({"--timestamp", "%H:%M"}));
    CHECK(read({"--prefix", "a: "})->cut.stamp->at(time) == "a: ");
    refused({"--timestamp=%n"});
}

TEST_CASE("stamps make an input one of lines") {
    CHECK(read({"--timestamp"})->cut.lines);
    CHECK(read({"--prefix", "x"})->cut.lines);
    CHECK(read({"--lines"})->cut.lines);
}

TEST_CASE("a buffer holds two batches, by itself or by what the user says") {
    CHECK(read({"--batch-size", "50M"})->buffer.memory == 100U << 20U);
    CHECK(read({"--batch-size", "50M", "--buffer", "200M"})->buffer.memory == 200U << 20U);
    CHECK(refused({"--batch-size", "50M", "--buffer", "99M"}).hint.find("100 MiB") != std::string::npos);
    refused({"--buffer", "1K", "--batch-size", "10"});
    refused({"--batch-size", "0"});
    refused({"--batch-size", "101M"});
    ops::AppendInputRequest old;
    old.max_size = 4U << 20U;
    CHECK(refused({"--batch-size", "5M"}, old).message.find("4 MiB") != std::string::npos);
    refused({"--flush-interval", "0"});
    refused({"--flush-interval", "25h"});
}

TEST_CASE("a spool has a folder, and more room than the buffer") {
    const auto options = read({"--on-full", "spool", "--spool-dir", "/var/spool/x", "--spool-max", "2G"});
    REQUIRE(options);
    REQUIRE(options->spool);
    CHECK(options->spool->directory == "/var/spool/x");
    CHECK(options->spool->max == std::uint64_t{2} << 30U);
    CHECK(refused({"--on-full", "spool"}).message.find("--spool-dir") != std::string::npos);
    refused({"--spool-dir", "x"});
    refused({"--spool-max", "1G"});
    refused({"--on-full", "spool", "--spool-dir", "x", "--spool-max", "1M"});
    CHECK(!read({"--on-full", "explode"}));
}

TEST_CASE("flags that contradict one another are refused") {
    refused({"--follow"});
    refused({"--follow-from", "end"}, of_file());
    CHECK(read({"--follow", "--follow-from", "end"}, of_file()));
    ops::AppendInputRequest json;
    json.json = true;
    refused({"--tee"}, json);
    CHECK(read({"--tee"})->tee == 1);
    ops::AppendInputRequest resume = of_file();
    resume.resume = true;
    CHECK(read({"--lines"}, resume));
    for (const char* flag :
         {"--follow", "--timestamp", "--prefix=x", "--complete-last-line", "--on-full=drop-oldest"}) {
        CAPTURE(flag);
        refused({flag}, resume);
    }
}

}  // namespace azlock::cli
