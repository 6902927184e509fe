// Numbers, durations and sizes on the command line: what is written in another way, or does not fit, is refused by
// every option of every command, and nothing is taken for another number.
#include <algorithm>

#include "unit/cli/command_rig.hpp"

namespace azlock::test {
namespace {

using Json = nlohmann::ordered_json;
using Arguments = std::vector<std::string>;

bool is_one_of(const std::string& text, const Arguments& texts) {
    return std::find(texts.begin(), texts.end(), text) != texts.end();
}

const Arguments kNumbers{"N", "J", "I", "CODE", "0..9"};
const Arguments kWrong{"1e3",
                       "0x10",
                       "0b1",
                       "1.5.5",
                       "1,5",
                       "-1",
                       "+1",
                       " 1",
                       "1 ",
                       "1_000",
                       "1'000",
                       "\xD9\xA1",
                       "nan",
                       "true",
                       "1x",
                       "-",
                       "99999999999999999999999",
                       "18446744073709551616x"};
const Arguments kNoWholeNumbers{"1.5", "1k", "1s", ".5", "18446744073709551616", "-18446744073709551615"};

// The value of --add may be negative, and is refused with the blob's name.
bool is_number(const Json& option) {
    return option.at("value").is_string() && option.at("names").back() != "--add" &&
           is_one_of(option.at("value"), kNumbers);
}

std::size_t check_numbers_of_option(CommandRig& rig, const std::string& path, const Json& option) {
    const bool number = is_number(option);
    const bool quantity = option.at("value") == "DUR" || option.at("value") == "SIZE";
    if (!number && !quantity) return 0;
    Arguments texts = kWrong;
    if (number) texts.insert(texts.end(), kNoWholeNumbers.begin(), kNoWholeNumbers.end());
    for (const std::string& text : texts) {
        Arguments line = words_of(path);
        const std::string name = option.at("names").back();
        line.insert(line.end(), {name, text, "box/data"});
        CAPTURE(line);
        const Ran ran = rig.run(line);
        INFO(ran.err);
        CHECK(ran.code == 64);
        CHECK(ran.err.find("azlock: " + name + ": '" + text + "' is ") == 0);
        CHECK(std::count(ran.err.begin(), ran.err.end(), '\n') == 1);
    }
    return 1;
}

std::size_t check_numbers_of(CommandRig& rig, const Json& command) {
    std::size_t checked = 0;
    for (const Json& option : command.at("options"))
        checked += check_numbers_of_option(rig, command.at("command"), option);
    for (const Json& inner : command.at("commands")) checked += check_numbers_of(rig, inner);
    return checked;
}

}  // namespace

TEST_CASE("no option takes a number, duration or size that is not written in decimal digits") {
    CommandRig rig;
    rig.environment.set("AZLOCK_LEASE_ID", "01234567-89ab-cdef-0123-456789abcdef");  // that "lease keep" needs first
    CHECK(check_numbers_of(rig, rig.run_json({"completion"}).json()) > 60);
    CHECK(rig.service.requests() == 0);
}

TEST_CASE("zeros in front of a number do not make it octal") {
    CommandRig rig;
    CHECK(rig.run({"queue", "put", "box/jobs", "--id", "a", "--priority", "08"}, "x").code == 0);
    CHECK(rig.service.peek("box", "jobs/8-a"));
    check_failure(rig, {"queue", "put", "box/jobs", "--id", "a", "--priority", "010"}, 64, "usage");
    check_failure_text(rig, {"list", "box", "--page-size", "005001"}, 64, "--page-size");
    CHECK(rig.run({"list", "box", "--page-size", "005000"}).code == 0);
}

TEST_CASE("the largest number is not taken for a smaller one") {
    CommandRig rig;
    rig.service.put("box", "data", "content");
    CHECK(rig.run({"lease", "break", "box/data", "--if-fence", "18446744073709551615"}).code == 0);
    check_failure(rig, {"lease", "break", "box/data", "--if-fence", "18446744073709551616"}, 64, "usage");
    check_failure(rig, {"lease", "break", "box/data", "--if-fence", "-1"}, 64, "usage");
}

}  // namespace azlock::test
