// sas, as a user types it; the SAS that it prints is used.
#include "unit/cli/command_rig.hpp"

namespace azlock::test {
namespace {

// What another azlock gets that only has this SAS.
Ran run_with(CommandRig& rig, const std::string& sas, std::vector<std::string> arguments,
             const std::string& input = {}) {
    Environment environment;
    environment.set("HOME", rig.dir.path());
    environment.set("AZURE_STORAGE_CONNECTION_STRING", std::string("BlobEndpoint=http://127.0.0.1:10000/") +
                                                           kRigAccount + ";SharedAccessSignature=" + sas);
    return rig.run(std::move(arguments), input);
}

std::string without_line_end(std::string text) {
    if (text.ends_with('\n')) text.pop_back();
    return text;
}

// The SAS that the command prints: one line.
std::string made(CommandRig& rig, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "sas");
    const Ran ran = rig.run(arguments);
    INFO(ran.err);
    REQUIRE(ran.code == 0);
    CHECK(ran.err.empty());
    const std::string line = without_line_end(ran.out);
    CHECK(line.find('\n') == std::string::npos);
    return line;
}

}  // namespace

TEST_CASE("sas makes a SAS that reads this blob for an hour, and nothing else") {
    CommandRig rig;
    rig.service.put("box", "data", "content");
    rig.service.put("box", "other", "content");
    const std::string sas = made(rig, {"box/data"});
    CHECK(rig.service.requests() == 0);
    CHECK(sas.find("sp=r&") != std::string::npos);
    CHECK(sas.find('?') == std::string::npos);
    CHECK(run_with(rig, sas, {"download", "box/data", "-"}).out == "content");
    CHECK(run_with(rig, sas, {"download", "box/other", "-"}).code == 77);
    CHECK(run_with(rig, sas, {"list", "box"}).code == 77);
    CHECK(run_with(rig, sas, {"delete", "box/data"}).code == 77);
    CHECK(run_with(rig, sas, {"upload", "-", "box/data"}, "new").code == 77);
    rig.fake_clock.advance(std::chrono::minutes(59));
    CHECK(run_with(rig, sas, {"show", "box/data"}).code == 0);
    rig.fake_clock.advance(std::chrono::minutes(1));
    const Ran late = run_with(rig, sas, {"show", "box/data"});
    CHECK(late.code == 77);
    CHECK(late.err.find("the SAS ended at") != std::string::npos);
}

TEST_CASE("a time beyond the years that azlock knows is refused as that, and the last one is taken") {
    CommandRig rig;
    CHECK(made(rig, {"box", "--expires", "2261-12-31"}).find("se=2261-12-31T00%3A00%3A00Z") != std::string::npos);
    for (const char* late : {"2262-01-01", "2262-12-31T00:00:00Z", "9999-12-31", "Fri, 31 Dec 9999 23:59:59 GMT",
                             "1969-12-31T23:59:59Z"}) {
        check_failure_text(rig, {"sas", "box", "--expires", late}, 64,
                           "'" + std::string(late) + "' is not in the years 1970 to 2261");
    }
    for (const char* bad : {"9999-13-31", "soon", "99999-12-31"}) {
        check_failure_text(rig, {"sas", "box", "--expires", bad}, 64, "is not a date");
    }
    check_failure_text(rig, {"sas", "box", "--for", "2200000h"}, 64, "--for");
}

TEST_CASE("a target that ends in a slash is neither the container nor a blob, where the two differ: 64") {
    CommandRig rig;
    const std::string url = std::string("http://127.0.0.1:10000/") + kRigAccount + "/box/";
    for (const std::string& target : {std::string("box/"), std::string("az://box/"), url}) {
        for (const auto& command : {std::vector<std::string>{"sas", target},
                                    {"show", target},
                                    {"lease", "acquire", target},
                                    {"lease", "show", target},
                                    {"lease", "break", target}}) {
            check_failure(rig, command, 64, "usage");
            check_failure_text(rig, command, 64, "write box for the container, or box/BLOB for a blob in it");
        }
    }
    CHECK(rig.service.requests() == 0);
    CHECK(rig.run({"list", "box/"}).code == 0);
    CHECK(rig.run({"container", "show", "box/"}).code == 0);
    CHECK(rig.run({"show", url.substr(0, url.size() - 1)}).code == 0);
}

TEST_CASE("sas for a container reaches its blobs, and lists them if l is given") {
    CommandRig rig;
    rig.service.put("box", "data", "content");
    const std::string reads = made(rig, {"box"});
    CHECK(run_with(rig, reads, {"download", "box/data", "-"}).out == "content");
    const Ran unlisted = run_with(rig, reads, {"list", "box"});
    CHECK(unlisted.code == 77);
    CHECK(unlisted.err.find("the SAS permits r; this needs l") != std::string::npos);
    CHECK(run_with(rig, made(rig, {"az://box", "--permissions", "lr"}), {"list", "box"}).out.find("data") !=
          std::string::npos);
    const Ran container = run_with(rig, made(rig, {"box", "--permissions", "racwdl"}), {"container", "show", "box"});
    CHECK(container.code == 77);
    CHECK(container.err.find("a SAS of a container or blob is not enough for this") != std::string::npos);
}

TEST_CASE("sas --url prints an address that works as it is, whatever the name") {
    CommandRig rig;
    for (const char* name : {"data", "a b+c%d.txt", "dir/\xC3\xA4\xE2\x82\xAC?#&=.bin", "a//b", "%41"}) {
        CAPTURE(name);
        rig.service.put("box", name, "content");
        const std::string url = made(rig, {"--url", "--", std::string("box/") + name});
        CHECK(url.starts_with(std::string("http://127.0.0.1:10000/") + kRigAccount + "/box/"));
        rig.environment.set("AZURE_STORAGE_CONNECTION_STRING", "");
        CHECK(rig.run({"download", url, "-"}).out == "content");
        rig.serve_at("http://127.0.0.1:10000");
    }
    CHECK(made(rig, {"box", "--url"}).starts_with(std::string("http://127.0.0.1:10000/") + kRigAccount + "/box?sv="));
}

TEST_CASE("sas prints its parts as JSON") {
    CommandRig rig;
    const auto json = rig.run_json({"sas", "box/data", "--permissions", "wcr", "--start", "2023-11-14T22:00Z",
                                    "--expires", "2023-11-16", "--ip", "198.51.100.7"})
                          .json();
    CHECK(json.size() == 9);
    CHECK(json.at("kind") == "service SAS of a blob");
    CHECK(json.at("target") == "box/data");
    CHECK(json.at("permissions") == "rcw");
    CHECK(json.at("start") == "2023-11-14T22:00:00Z");
    CHECK(json.at("expires") == "2023-11-16T00:00:00Z");
    CHECK(json.at("ip") == "198.51.100.7");
    CHECK(json.at("https_only") == false);
    const std::string sas = json.at("sas");
    CHECK(sas.find("&sp=rcw&sip=198.51.100.7&sig=") != std::string::npos);
    CHECK(json.at("url") == std::string("http://127.0.0.1:10000/") + kRigAccount + "/box/data?" + sas);
    const auto least = rig.run_json({"sas", "box"}).json();
    CHECK(least.at("start").is_null());
    CHECK(least.at("ip").is_null());
    CHECK(least.at("expires") == "2023-11-14T23:13:20Z");
}

TEST_CASE("the time of sas begins at --start, and is rounded up to seconds") {
    CommandRig rig;
    const auto expires = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), {"sas", "box"});
        return rig.run_json(arguments).json().at("expires").get<std::string>();
    };
    CHECK(expires({"--for", "90m"}) == "2023-11-14T23:43:20Z");
    CHECK(expires({"--for", "1ms"}) == "2023-11-14T22:13:21Z");
    CHECK(expires({"--for", "1d", "--start", "2023-12-01"}) == "2023-12-02T00:00:00Z");
    CHECK(expires({"--expires", "2023-12-01T10:00:00+02:00"}) == "2023-12-01T08:00:00Z");
    const std::string later = made(rig, {"box", "--start", "2023-12-01"});
    rig.service.put("box", "data", "content");
    const Ran early = run_with(rig, later, {"show", "box/data"});
    CHECK(early.code == 77);
    CHECK(early.err.find("the SAS is valid only from 2023-12-01T00:00:00Z") != std::string::npos);
}

TEST_CASE("a SAS for https is made only of an https endpoint, and refused over http") {
    CommandRig rig;
    rig.service.put("box", "data", "content");
    check_failure_text(rig, {"sas", "box", "--https-only"}, 64, "is not https");
    rig.serve_at("https://127.0.0.1:10000");
    const std::string sas = made(rig, {"box", "--https-only"});
    CHECK(rig.run_json({"sas", "box", "--https-only"}).json().at("https_only") == true);
    const Ran plain = run_with(rig, sas, {"show", "box/data"});
    CHECK(plain.code == 77);
    CHECK(plain.err.find("the SAS is only for https") != std::string::npos);
}

TEST_CASE("sas follows --api-version") {
    CommandRig rig;
    rig.service.put("box", "data", "content");
    for (const char* version : {"2018-11-09", "2020-12-06", "2021-04-10"}) {
        const std::string sas = made(rig, {"box", "--api-version", version});
        CHECK(sas.starts_with(std::string("sv=") + version + "&"));
        CHECK(run_with(rig, sas, {"show", "box/data"}).code == 0);
    }
    for (const char* version : {"2018-03-28", "latest", "2020-13-01", "2023-11-03 "}) {
        check_failure_text(rig, {"sas", "box", "--api-version", version}, 64, "2018-11-09 or later");
    }
}

TEST_CASE("what sas cannot grant is 64, in one line") {
    CommandRig rig;
    for (const auto& [flags, says] : std::vector<std::pair<std::vector<std::string>, std::string>>{
             {{"box", "--permissions", "rz"}, "--permissions: 'rz' has a letter that is no permission"},
             {{"box", "--permissions", "R"}, "no permission; the letters are r (read)"},
             {{"box", "--permissions", "r\xC3\xA4"}, "no permission"},
             {{"box", "--permissions", "rwr"}, "--permissions: 'rwr' has the letter r twice"},
             {{"box/data", "--permissions", "rl"}, "l lists a container, and 'box/data' is a blob"},
             {{"box", "--expires", "2023-11-14T22:13:20Z"}, "would end at 2023-11-14T22:13:20Z, which has passed"},
             {{"box", "--expires", "2020-01-01"}, "which has passed; it is now 2023-11-14T22:13:20Z"},
             {{"box", "--expires", "soon"}, "--expires: 'soon' is not a date"},
             {{"box", "--expires", "2023-11-15", "--for", "1h"}, "--for"},
             {{"box", "--expires", "2023-11-15", "--start", "2023-11-16"}, "before its --start"},
             {{"box", "--for", "0"}, "which has passed"},
             {{"box", "--for", "36500d", "--start", "2260-01-01"}, "--for: the time is too long"},
             {{"box", "--for", "ever"}, "--for: 'ever' is not a duration"},
             {{"box", "--ip", "198.51.100"}, "--ip: '198.51.100' is no IPv4 address or range"},
             {{"box", "--ip", "::1"}, "no IPv4 address"},
             {{"box", "--ip", "198.51.100.0/24"}, "no IPv4 address"},
             {{"box", "--ip", "198.51.100.9-198.51.100.7"}, "no IPv4 address or range"},
             {{"box", "--ip", "198.51.100.7-"}, "no IPv4 address or range"},
             {{"box", "--ip", "198.51.100.7-198.51.100.8-198.51.100.9"}, "no IPv4 address or range"},
             {{CommandRig::snapshot_of("data")}, "a snapshot cannot be"},
             {{"B"}, "container name"}}) {
        std::vector<std::string> arguments = flags;
        arguments.insert(arguments.begin(), "sas");
        check_failure(rig, arguments, 64, "usage");
        check_failure_text(rig, arguments, 64, says);
        const Ran ran = rig.run(arguments);
        CHECK(std::count(ran.err.begin(), ran.err.end(), '\n') == 1);
    }
}

TEST_CASE("sas without an account key or a login is 77 and says what is there instead") {
    CommandRig rig;
    const std::string endpoint = std::string("BlobEndpoint=http://127.0.0.1:10000/") + kRigAccount;
    rig.environment.set("AZURE_STORAGE_CONNECTION_STRING",
                        endpoint + ";SharedAccessSignature=sv=2023-11-03&sp=r&sig=HUSH");
    check_failure(rig, {"sas", "box"}, 77, "auth");
    check_failure_text(rig, {"sas", "box"}, 77, "made with the account key or a login, not with this credential: SAS");
    CHECK(rig.run({"sas", "box"}).err.find("HUSH") == std::string::npos);
    CHECK(rig.service.requests() == 0);
}

}  // namespace azlock::test
