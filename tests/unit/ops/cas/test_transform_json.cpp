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

TEST_CASE("a patch that changes nothing leaves every byte as it is") {
    const std::string odd = "{ \"a\":1.50 ,\"b\" : [ ] }\n\n";
    CHECK(patched(merge_patch, odd, R"({"a":1.5})") == odd);
    CHECK(patched(json_patch, odd, R"([{"op":"test","path":"/a","value":1.5}])") == odd);
}

TEST_CASE("what would not come out as it went in is refused") {
    const auto with = [](const std::string& value) {
        return patched(merge_patch, "{\"a\":" + value + "}", R"({"b":1})");
    };
    CHECK(with("12345678901234567890") == R"({"a":12345678901234567890,"b":1})");  // unsigned 64 bits
    CHECK(with("0.30000000000000004") == R"({"a":0.30000000000000004,"b":1})");
    CHECK(with("1e3") == R"({"a":1000.0,"b":1})");
    CHECK(with("123456789012345678901234") == "data");
    CHECK(with("0.1234567890123456789") == "data");
    CHECK(with("1e999") == "data");
    CHECK(with("1,\"a\":2") == "data");
    CHECK(with("\"\xff\"") == "data");
    CHECK(with(std::string(501, '[') + std::string(501, ']')) == "data");
    CHECK(with(std::string(100'000, '[')) == "data");
    CHECK(patched(merge_patch, "not json", "{}") == "data");
    CHECK(patched(merge_patch, "{} trailing", "{}") == "data");
}

}  // namespace azlock::ops
