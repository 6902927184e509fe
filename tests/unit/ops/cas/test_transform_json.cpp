// Patches of JSON documents change what they name, and nothing else.
#include "ops/cas/transform_json.hpp"
#include "support/catch.hpp"

namespace azlock::ops {
namespace {

using Maker = Result<CasTransform> (*)(const std::string&, const std::string&);

std::string patched(Maker make, const std::string& content, const std::string& patch) {
    const auto transform = make(patch, "'p'");
    if (!transform) return "bad patch: " + std::string(to_string(transform.error().code));
    CasInput input;
    input.exists = true;
    input.content = as_bytes(content);
    const auto out = (*transform)(input, {});
    return out ? out->content : std::string(to_string(out.error().code));
}

}  // namespace

TEST_CASE("the examples of RFC 7396 come out as it says") {
    const char* table[][3] = {
        {R"({"a":"b"})", R"({"a":"c"})", R"({"a":"c"})"},
        {R"({"a":"b"})", R"({"b":"c"})", R"({"a":"b","b":"c"})"},
        {R"({"a":"b"})", R"({"a":null})", R"({})"},
        {R"({"a":"b","b":"c"})", R"({"a":null})", R"({"b":"c"})"},
        {R"({"a":["b"]})", R"({"a":"c"})", R"({"a":"c"})"},
        {R"({"a":"c"})", R"({"a":["b"]})", R"({"a":["b"]})"},
        {R"({"a":{"b":"c"}})", R"({"a":{"b":"d","c":null}})", R"({"a":{"b":"d"}})"},
        {R"({"a":[{"b":"c"}]})", R"({"a":[1]})", R"({"a":[1]})"},
        {R"(["a","b"])", R"(["c","d"])", R"(["c","d"])"},
        {R"({"a":"b"})", R"(["c"])", R"(["c"])"},
        {R"({"a":"foo"})", R"(null)", R"(null)"},
        {R"({"e":null})", R"({"a":1})", R"({"e":null,"a":1})"},
        {R"([1,2])", R"({"a":"b","c":null})", R"({"a":"b"})"},
        {R"({})", R"({"a":{"bb":{"ccc":null}}})", R"({"a":{"bb":{}}})"},
        {"", R"({"a":1})", R"({"a":1})"},
    };
    for (const auto& row : table) {
        CAPTURE(row[0], row[1]);
        CHECK(patched(merge_patch, row[0], row[1]) == row[2]);
    }
}

TEST_CASE("the operations of RFC 6902 come out as it says") {
    const char* table[][3] = {
        {R"({"foo":"bar"})", R"([{"op":"add","path":"/baz","value":"qux"}])", R"({"foo":"bar","baz":"qux"})"},
        {R"({"foo":["bar","baz"]})", R"([{"op":"add","path":"/foo/1","value":"qux"}])",
         R"({"foo":["bar","qux","baz"]})"},
        {R"({"baz":"qux","foo":"bar"})", R"([{"op":"remove","path":"/baz"}])", R"({"foo":"bar"})"},
        {R"({"foo":["bar","qux","baz"]})", R"([{"op":"remove","path":"/foo/1"}])", R"({"foo":["bar","baz"]})"},
        {R"({"baz":"qux","foo":"bar"})", R"([{"op":"replace","path":"/baz","value":"boo"}])",
         R"({"baz":"boo","foo":"bar"})"},
        {R"({"foo":{"bar":"baz","waldo":"fred"},"qux":{"corge":"grault"}})",
         R"([{"op":"move","from":"/foo/waldo","path":"/qux/thud"}])",
         R"({"foo":{"bar":"baz"},"qux":{"corge":"grault","thud":"fred"}})"},
        {R"({"foo":["all","grass","cows","eat"]})", R"([{"op":"move","from":"/foo/1","path":"/foo/3"}])",
         R"({"foo":["all","cows","eat","grass"]})"},
        {R"({"baz":"qux"})", R"([{"op":"test","path":"/baz","value":"bar"}])", "precondition"},
        {R"({"foo":"bar"})", R"([{"op":"add","path":"/child","value":{"grandchild":{}}}])",
         R"({"foo":"bar","child":{"grandchild":{}}})"},
        {R"({"foo":"bar"})", R"([{"op":"add","path":"/baz/bat","value":"qux"}])", "data"},
        {R"({"/":9,"~1":10})", R"([{"op":"test","path":"/~01","value":10},{"op":"remove","path":"/~01"}])",
         R"({"/":9})"},
        {R"({"/":9,"~1":10})", R"([{"op":"test","path":"/~01","value":"10"}])", "precondition"},
        {R"({"foo":["bar"]})", R"([{"op":"add","path":"/foo/-","value":["abc","def"]}])",
         R"({"foo":["bar",["abc","def"]]})"},
        {R"({"a":1})", R"([{"op":"copy","from":"/a","path":"/b"}])", R"({"a":1,"b":1})"},
        {R"({"a":1})", R"([{"op":"replace","path":"","value":[1]}])", R"([1])"},
        {R"({"a":{"x":1,"y":2}})", R"([{"op":"test","path":"/a","value":{"y":2,"x":1}},{"op":"remove","path":"/a"}])",
         R"({})"},
        {R"({"a":1})", R"([{"op":"test","path":"/none","value":null}])", "precondition"},
        // If a patch fails half way, nothing of it is kept. A value that is no object or array takes no member.
        {R"({"a":1})", R"([{"op":"add","path":"/b","value":1},{"op":"remove","path":"/none"}])", "data"},
        {R"({"a":1})", R"([{"op":"add","path":"/a/b","value":1}])", "data"},
        {R"("text")", R"([{"op":"add","path":"/0","value":1}])", "data"},
        {R"({"a":[1]})", R"([{"op":"add","path":"/a/5","value":1}])", "data"},
        {R"({"a":[1]})", R"([{"op":"remove","path":"/a/x"}])", "data"},
        {R"({"a":1})", R"([{"op":"remove","path":"/a/b"}])", "data"},
        {R"({"a":1.50})", R"([{"op":"remove","path":"/a/b"}])", "data"},
        {R"({"a":"text"})", R"([{"op":"replace","path":"/a/0","value":1}])", "data"},
        {R"({"a":1})", R"([{"op":"remove","path":""}])", "data"},
        {R"({"a":1})", R"([{"op":"move","from":"/a/b","path":"/c"}])", "data"},
        {R"({"a":{"b":1}})", R"([{"op":"move","from":"/a","path":"/a/b"}])", "data"},
        {R"({"a":[{},{}]})", R"([{"op":"move","from":"/a/0","path":"/a/0/x"}])", "data"},
        {R"({"a":[1,{},2]})", R"([{"op":"move","from":"/a/0","path":"/a/1/x"}])", "data"},
        {R"({"a":[1,{},2]})", R"([{"op":"move","from":"/a/0","path":"/a/0/x"}])", "data"},
        {R"({"a":[1,2,{}]})", R"([{"op":"move","from":"/a/0","path":"/a/1/x"}])", R"({"a":[2,{"x":1}]})"},
        {R"({"a":1.50})", R"([{"op":"copy","from":"/a","path":"/b"}])", R"({"a":1.50,"b":1.50})"},
        {R"({"a":1})", R"([{"op":"jump","path":"/a"}])", "data"},
        {R"({"a":1})", R"([{"path":"/a"}])", "data"},
        {R"({"a":1})", R"([{"op":"add","path":"a","value":1}])", "data"},
        {R"({"a":1})", R"([{"op":"add","path":7,"value":1}])", "data"},
        {R"({"a":1})", R"([{"op":7,"path":"/a"}])", "data"},
        {R"({"a":1})", R"([17])", "data"},
        {R"({"a":1})", R"({"op":"remove","path":"/a"})", "bad patch: data"},
        {R"({"a":1})", "not json", "bad patch: data"},
    };
    for (const auto& row : table) {
        CAPTURE(row[0], row[1]);
        CHECK(patched(json_patch, row[0], row[1]) == row[2]);
    }
}

TEST_CASE("the order of the keys, the indentation and the last line end stay") {
    CHECK(patched(merge_patch, "{\n  \"z\": 1,\n  \"a\": [\n    1\n  ]\n}\n", R"({"b":2})") ==
          "{\n  \"z\": 1,\n  \"a\": [\n    1\n  ],\n  \"b\": 2\n}\n");
    CHECK(patched(merge_patch, "{\n\t\"z\": 1\n}", R"({"z":2})") == "{\n\t\"z\": 2\n}");
    CHECK(patched(merge_patch, "{\"z\":1}\n", R"({"z":2})") == "{\"z\":2}\n");
}

TEST_CASE("the kind of line end, a byte order mark and what follows the document stay") {
    CHECK(patched(merge_patch, "{\r\n  \"z\": [\r\n    1\r\n  ]\r\n}\r\n", R"({"a":{}})") ==
          "{\r\n  \"z\": [\r\n    1\r\n  ],\r\n  \"a\": {}\r\n}\r\n");
    CHECK(patched(merge_patch, "{\"z\":1}\r\n", R"({"a":2})") == "{\"z\":1,\"a\":2}\r\n");
    CHECK(patched(merge_patch, "\xEF\xBB\xBF{\"z\":1} \n\n", R"({"z":2})") == "\xEF\xBB\xBF{\"z\":2} \n\n");
    CHECK(patched(merge_patch, "{\n\"z\": 1\n}\n", R"({"z":2})") == "{\n\"z\": 2\n}\n");
}

TEST_CASE("a patch that changes nothing leaves every byte as it is") {
    const std::string odd = "{ \"a\":1.50 ,\"b\" : [ ] }\n\n";
    CHECK(patched(merge_patch, odd, R"({"a":1.50})") == odd);
    CHECK(patched(json_patch, odd, R"([{"op":"test","path":"/a","value":1.5}])") == odd);
    CHECK(patched(json_patch, odd, R"([{"op":"move","from":"/a","path":"/a"}])") == odd);
}

TEST_CASE("a number that a patch writes is written as the patch has it") {
    const char* table[][2] = {
        {"18446744073709551615", "-1"},
        {"-1", "18446744073709551615"},
        {"9007199254740993", "9007199254740992.0"},
        {"1", "1.0"},
        {"1.50", "1.5"},
        {"0", "-0"},
        {"0.0", "-0.0"},
        {"-0", "0"},
        {"1e400000000", "1"},
    };
    for (const auto& row : table) {
        CAPTURE(row[0], row[1]);
        const std::string before = std::string("{\"a\":") + row[0] + "}";
        const std::string after = std::string("{\"a\":") + row[1] + "}";
        const std::string wanted = std::string(row[0]).find("e4") == std::string::npos ? after : "data";
        CHECK(patched(merge_patch, before, after) == wanted);
        const std::string replace = std::string(R"([{"op":"replace","path":"/a","value":)") + row[1] + "}]";
        CHECK(patched(json_patch, before, replace) == wanted);
    }
}

TEST_CASE("a test compares numbers by their exact value, in objects of any order too") {
    const auto holds = [](const std::string& value, const std::string& wanted) {
        const std::string before = "{\"a\":" + value + "}";
        const std::string patch = R"([{"op":"test","path":"/a","value":)" + wanted + "}]";
        return patched(json_patch, before, patch) == before;
    };
    CHECK(holds("1", "1.0"));
    CHECK(holds("1000", "1e3"));
    CHECK(holds("0.1", "10E-2"));
    CHECK(holds("0", "-0.0e7"));
    CHECK(holds("100000000000000000000000", "1e+23"));
    CHECK(holds(R"({"x":1,"y":[2.0]})", R"({"y":[2],"x":1})"));
    CHECK(!holds("18446744073709551615", "-1"));
    CHECK(!holds("9007199254740993", "9007199254740992.0"));
    CHECK(!holds("100000000000000000000000", "99999999999999991611392"));
    CHECK(!holds("1", "-1"));
    CHECK(!holds("1", "\"1\""));
    CHECK(!holds("1", "true"));
    CHECK(!holds(R"({"x":1,"y":2})", R"({"x":1,"z":2})"));
    CHECK(!holds("[1]", "[1,1]"));
}

TEST_CASE("what a patch does not touch keeps its text, or the document is refused") {
    const auto with = [](const std::string& value) {
        return patched(merge_patch, "{\"a\":" + value + "}", R"({"b":1})");
    };
    for (const char* number :
         {"12345678901234567890", "0.30000000000000004", "1.50", "1e3", "1E+3", "-0", "-0.0", "100000000000000000000",
          "123456789012345678901234", "0.1234567890123456789", "-9223372036854775808", "1e-400"}) {
        CAPTURE(number);
        CHECK(with(number) == std::string("{\"a\":") + number + R"(,"b":1})");
    }
    CHECK(with("1e999") == "data");
    CHECK(with("1e-99999999999") == "data");
    CHECK(with("1,\"a\":2") == "data");
    CHECK(with("\"\xff\"") == "data");
    CHECK(with(std::string(501, '[') + std::string(501, ']')) == "data");
    CHECK(with(std::string(100'000, '[')) == "data");
    CHECK(patched(merge_patch, "not json", "{}") == "data");
    CHECK(patched(merge_patch, "{} trailing", "{}") == "data");
}

}  // namespace azlock::ops
