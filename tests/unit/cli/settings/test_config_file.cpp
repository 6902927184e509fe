// The configuration file: what is understood, what is refused, and that no message repeats a value.
#include "cli/settings/config_file.hpp"
#include "support/catch.hpp"
#include "support/temp_dir.hpp"
#include "unit/environment.hpp"

namespace azlock::cli {
namespace {

ConfigValues parsed(std::string_view text) {
    const auto values = parse_config(text, "config.toml");
    INFO((values ? "" : values.error().message));
    REQUIRE(values);
    return *values;
}

}  // namespace

TEST_CASE("strings, literals, numbers and booleans are values, and comments are not") {
    const ConfigValues values = parsed(
        "# first\n"
        "account = \"aaa\"   # the account\n"
        "  account_key='a\\b#c'\r\n"
        "\n"
        "endpoint = \"http://x/\\\"q\\\\\"\n"
        "retries=3\n"
        "timeout = \"5s\"# soon\n"
        "allow_insecure_http = true\n"
        "ca_file = \"\"");
    CHECK(values == ConfigValues{{"account", "aaa"},
                                 {"account_key", "a\\b#c"},
                                 {"endpoint", "http://x/\"q\\"},
                                 {"retries", "3"},
                                 {"timeout", "5s"},
                                 {"allow_insecure_http", "true"},
                                 {"ca_file", ""}});
}

TEST_CASE("a file may be empty, or begin with a byte order mark") {
    CHECK(parsed("").empty());
    CHECK(parsed("\n # nothing\n\n").empty());
    CHECK(parsed("\xEF\xBB\xBF"
                 "account = \"aaa\"") == ConfigValues{{"account", "aaa"}});
}

TEST_CASE("what is not understood is refused by its line, and never repeated") {
    struct Case {
        const char* text;
        const char* says;
    };
    const Case table[] = {
        {"\naccount_key = \"SECRET", "line 2"},
        {"account_key = 'SECRET", "line 1"},
        {"account_key = \"SECRET\" SECRET", "line 1"},
        {"account_key = SECRET", "line 1"},
        {"timeout = 1.5", "line 1"},
        {"account_key = \"SECRET\\", "line 1"},
        {"account_key = SEC=RET", "line 1"},
        {"account_key = [\"SECRET\"]", "line 1"},
        {"account_key = {SECRET}", "line 1"},
        {"account_key =", "line 1"},
        {"account_key = # SECRET", "line 1"},
        {"account_key SECRET", "line 1"},
        {"SECRET", "line 1"},
        {"[SECRET]\naccount = \"a\"", "line 1"},
        {"SECRET1 = 1", "unknown key"},
        {"colour = \"SECRET\"", "unknown key 'colour'"},
        {"Account = \"SECRET\"", "unknown key 'Account'"},
        {"account = \"a\"\naccount = \"SECRET\"", "line 2"},
        {"account = \"SECRET\xFF\"", "line 1"},
    };
    for (const Case& row : table) {
        CAPTURE(row.text);
        const auto values = parse_config(row.text, "config.toml");
        REQUIRE(!values);
        CHECK(values.error().code == ErrorCode::config);
        CHECK(values.error().message.find("config.toml") == 0);
        CHECK(values.error().message.find(row.says) != std::string::npos);
        CHECK(values.error().message.find("SEC") == std::string::npos);
        CHECK(values.error().hint.find("SEC") == std::string::npos);
    }
}

TEST_CASE("a file that is not there is no configuration, unless it was asked for") {
    const test::TempDir dir;
    const auto load_config = [](const std::string& file, bool required) {
        return config_text(file, required).and_then([&](const std::string& text) { return parse_config(text, file); });
    };
    const auto none = load_config(dir.file("nothing"), false);
    REQUIRE(none);
    CHECK(none->empty());
    CHECK(load_config("", false)->empty());
    const auto missing = load_config(dir.file("nothing"), true);
    REQUIRE(!missing);
    CHECK(missing.error().code == ErrorCode::config);
    const auto directory = load_config(dir.path(), false);
    REQUIRE(!directory);
    CHECK(directory.error().code == ErrorCode::config);
    CHECK(load_config(dir.write("c", "account = \"aaa\""), false)->at("account") == "aaa");
    const auto huge = load_config(dir.write("huge", std::string(1 << 21, '#')), true);
    REQUIRE(!huge);
    CHECK(huge.error().code == ErrorCode::config);
}

TEST_CASE("the default place follows XDG_CONFIG_HOME, else the home directory") {
    test::Environment env;
    CHECK(default_config_path().empty());
    env.set("HOME", "/home/me");
    CHECK(default_config_path() == "/home/me/.config/azlock/config.toml");
    env.set("XDG_CONFIG_HOME", "not/absolute");
    CHECK(default_config_path() == "/home/me/.config/azlock/config.toml");
    env.set("XDG_CONFIG_HOME", "/etc/xdg");
    CHECK(default_config_path() == "/etc/xdg/azlock/config.toml");
}

}  // namespace azlock::cli
