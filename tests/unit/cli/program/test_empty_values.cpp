// An empty value, as a shell variable gives that is not set, is refused: by every option and operand of every command.
#include <algorithm>

#include "unit/cli/command_rig.hpp"

namespace azlock::test {
namespace {

using Json = nlohmann::ordered_json;
using Arguments = std::vector<std::string>;

// What may be empty, because that means something.
const Arguments kMayBeEmpty{"azlock cas-update --append-line"};

bool says_empty(const Ran& ran, const std::string& name) {
    return ran.code == 64 && ran.err.find("azlock: " + name + ": the value") == 0 &&
           ran.err.find("is empty") != std::string::npos && std::count(ran.err.begin(), ran.err.end(), '\n') == 1;
}

void check_option(CommandRig& rig, const std::string& path, const Json& option) {
    const bool takes_value = !option.at("value").is_null();
    const std::string longest = option.at("names").back();
    if (longest == "--help") return;
    for (const std::string name : option.at("names")) {
        std::vector<Arguments> forms;
        if (takes_value) forms.push_back({name, ""});
        if (name.starts_with("--")) forms.push_back({name + "="});
        for (const Arguments& form : forms) {
            Arguments line = words_of(path);
            line.insert(line.end(), form.begin(), form.end());
            // The library would take this as the value of "--name=".
            line.emplace_back("box/data");
            CAPTURE(line);
            const Ran ran = rig.run(line);
            INFO(ran.err);
            const bool refused = says_empty(ran, longest) || says_empty(ran, name);
            const bool may_be =
                std::find(kMayBeEmpty.begin(), kMayBeEmpty.end(), path + " " + longest) != kMayBeEmpty.end();
            CHECK(refused == !may_be);
        }
    }
}

void check_operand(CommandRig& rig, const std::string& path, const Json& operands, std::size_t index) {
    Arguments line = words_of(path);
    for (std::size_t i = 0; i < index; ++i) line.emplace_back("box/data");
    line.emplace_back("");
    CAPTURE(line);
    const Ran ran = rig.run(line);
    INFO(ran.err);
    CHECK(says_empty(ran, operands.at(index).at("names").front()));
}

std::size_t check_command(CommandRig& rig, const Json& command) {
    const std::string path = command.at("command");
    std::size_t checked = command.at("options").size();
    for (const Json& option : command.at("options")) check_option(rig, path, option);
    for (std::size_t i = 0; i < command.at("operands").size(); ++i, ++checked) {
        check_operand(rig, path, command.at("operands"), i);
    }
    for (const Json& inner : command.at("commands")) checked += check_command(rig, inner);
    return checked;
}

}  // namespace

TEST_CASE("no command takes an empty value for an option or operand, in any spelling") {
    CommandRig rig;
    rig.service.put("box", "data", "content");
    CHECK(check_command(rig, rig.run_json({"completion"}).json()) > 250);
    CHECK(rig.service.peek("box", "data"));
    CHECK(rig.service.requests("Delete Blob") == 0);
}

TEST_CASE("a guard whose value is empty does not let the write through") {
    CommandRig rig;
    rig.service.put("box", "data", "content");
    for (const char* guard : {"--if-match", "--if-none-match", "--if-unmodified-since", "--lease-id"}) {
        check_failure(rig, {"delete", "box/data", guard, ""}, 64, "usage");
        check_failure(rig, {"delete", "box/data", std::string(guard) + "="}, 64, "usage");
        check_failure(rig, {"upload", "-", "box/data", guard, ""}, 64, "usage");
    }
    check_failure(rig, {"append", "box/data", "--if-match", ""}, 64, "usage");
    check_failure(rig, {"delete", "box/data", "--fence="}, 64, "usage");
    check_failure(rig, {"upload", "-", "box/data", "--expect-sha256", ""}, 64, "usage");
    check_failure(rig, {"lease", "break", "box", "--prefix", "", "--yes"}, 64, "usage");
    CHECK(rig.service.peek("box", "data").value().content == "content");
}

TEST_CASE("an empty line can be added") {
    CommandRig rig;
    rig.service.put("box", "lines", "a\n");
    CHECK(rig.run({"cas-update", "box/lines", "--append-line", ""}).code == 0);
    CHECK(rig.run({"cas-update", "box/lines", "--append-line="}).code == 0);
    CHECK(rig.service.peek("box", "lines").value().content == "a\n\n\n");
}

TEST_CASE("a value that looks like an option stays a value") {
    CommandRig rig;
    rig.service.put("box", "lines", "");
    CHECK(rig.run({"cas-update", "box/lines", "--append-line", "--create="}).code == 0);
    CHECK(rig.service.peek("box", "lines").value().content == "--create=\n");
}

TEST_CASE("an environment variable that is empty counts as not set") {
    CommandRig rig;
    rig.environment.set("AZLOCK_CONTAINER", "");
    rig.service.make_container("locks");
    CHECK(rig.run({"elect", "boss", "--observe", "--timeout", "1ms"}).err.find("empty") == std::string::npos);
}

}  // namespace azlock::test
