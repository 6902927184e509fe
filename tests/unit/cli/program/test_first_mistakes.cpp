// The mistakes of the first five minutes: each gets one line with the next step, and nothing is written.
#include "unit/cli/command_rig.hpp"

namespace azlock::test {
namespace {

void check_line(const Ran& ran, int code, const std::string& part) {
    INFO(ran.err);
    CHECK(ran.code == code);
    CHECK(ran.err.find(part) != std::string::npos);
    CHECK(std::count(ran.err.begin(), ran.err.end(), '\n') == 1);
}

}  // namespace

TEST_CASE("a mistaken target is told how it is written") {
    CommandRig rig;
    const std::string file = rig.dir.path() + "/file";
    rig.dir.write("file", "text");
    check_line(rig.run({"show", "/box/x"}), 64, "write 'box/x'");
    check_line(rig.run({"show", "azure://box/x"}), 64, "write 'az://box/x'");
    check_line(rig.run({"upload", file, "s3://box/x"}), 64, "not 's3':");
    check_line(rig.run({"upload", "box/x", file}), 64, "the file comes first: azlock upload " + file + " box/x");
    check_line(rig.run({"download", "box/*.txt", "-"}), 79, "a '*' is a part of the name here");
    check_line(rig.run({"delete", "box/*.txt"}), 79, "a '*' is a part of the name here");
    check_line(rig.run({"queue", "put", "f"}), 64, "use 3 to 63 lower-case letters");
    check_line(rig.run({"lock", "x", "-w", "5min", "--", "true"}), 64, "--wait: '5min' is not a duration: write 90");
    CHECK_FALSE(rig.service.peek("box", "x"));
}

TEST_CASE("the folder of a download must be there, and the message says how to make it") {
    CommandRig rig;
    rig.service.put("box", "x", "content");
    check_line(rig.run({"download", "box/x", rig.dir.path() + "/no/where/x"}), 74,
               "make the folder first: mkdir -p " + rig.dir.path() + "/no/where/");
}

TEST_CASE("a variable that azlock does not read is named") {
    CommandRig rig;
    rig.environment.set("AZURE_STORAGE_CONNECTION_STRING", "");
    check_line(rig.run({"list"}), 78, "set AZURE_STORAGE_CONNECTION_STRING or");
    rig.environment.set("AZURE_STORAGE_ACCOUNT_NAME", "a");
    check_line(rig.run({"list"}), 78, "AZURE_STORAGE_ACCOUNT_NAME is set, but azlock reads AZURE_STORAGE_ACCOUNT");
    rig.environment.set("AZURE_STORAGE_CONNECTION", "secret");
    const Ran ran = rig.run({"list"});
    check_line(ran, 78, "AZURE_STORAGE_CONNECTION is set, but azlock reads AZURE_STORAGE_CONNECTION_STRING");
    CHECK(ran.err.find("secret") == std::string::npos);
}

TEST_CASE("standard input gives a secret or the data, not both") {
    CommandRig rig(CommandRig::Time::real);
    rig.environment.set("AZURE_STORAGE_CONNECTION_STRING", "");
    const std::string string = std::string("AccountName=") + kRigAccount + ";AccountKey=" + kFakeKey +
                               ";BlobEndpoint=http://127.0.0.1:10000/" + kRigAccount;
    rig.service.put("box", "x", "content");
    CHECK(rig.run({"show", "box/x", "--connection-string-file", "-"}, string).code == 0);
    check_line(rig.run({"upload", "-", "box/x", "--connection-string-file", "-"}, string), 74, "standard input");
    check_line(rig.run({"append", "box/log", "--connection-string-file", "-"}, string), 74, "standard input");
    check_line(rig.run({"queue", "put", "box/q", "--connection-string-file", "-"}, string), 74, "standard input");
    CHECK(rig.service.content("box", "x") == "content");
}

}  // namespace azlock::test
