#include "ops/write/content_request.hpp"

#include "azure/names.hpp"
#include "base/encoding.hpp"
#include "base/name_value.hpp"
#include "base/text.hpp"

namespace azlock::ops {

Result<azure::Metadata> make_metadata(const std::vector<std::string>& pairs) {
    azure::Metadata out;
    for (const std::string& pair : pairs) {
        const auto read = read_pair("--metadata", pair, "NAME=VALUE");
        if (!read) return fail(read.error());
        const auto& [name, value] = *read;
        if (auto ok = azure::check_metadata_name(name); !ok) return fail(ok.error());
        if (auto ok = azure::check_metadata_value(name, value); !ok) return fail(ok.error());
        for (const auto& [known, ignored] : out) {
            if (iequals(known, name)) return fail(ErrorCode::usage, "--metadata: '" + name + "' is given twice");
        }
        if (istarts_with(name, "azl_")) {
            return fail(ErrorCode::usage, "--metadata: names that start with azl_ are azlock's own");
        }
        out.emplace(name, value);
    }
    return out;
}

// The service's limits: 10 pairs; names of 1 to 128 and values of up to 256 characters; only letters, digits and
// "+-./:=_ ".
Result<std::string> make_tags(const std::vector<std::string>& pairs) {
    std::string out;
    for (const std::string& pair : pairs) {
        const auto tag = read_pair("--tags", pair, "NAME=VALUE");
        if (!tag) return fail(tag.error());
        if (tag->first.size() > 128 || tag->second.size() > 256) {
            return fail(ErrorCode::usage, "--tags: " + in_quotes(pair) + " is too long",
                        "a name has at most 128 characters, a value at most 256");
        }
        for (const char c : pair) {
            if (!is_alnum(c) && std::string_view("+-./:=_ ").find(c) == std::string_view::npos) {
                return fail(ErrorCode::usage, "--tags: " + in_quotes(pair) +
                                                  ": tags may contain only letters, digits, blanks and + - . / : = _");
            }
        }
        if (!out.empty()) out += '&';
        out += percent_encode(tag->first) + '=' + percent_encode(tag->second);
    }
    if (pairs.size() > 10) return fail(ErrorCode::usage, "--tags: a blob has at most 10 tags");
    return out;
}

Status check_write_conditions(const azure::Conditions& conditions) {
    int count = 0;
    for (const std::string* value : {&conditions.if_match, &conditions.if_none_match, &conditions.if_modified_since,
                                     &conditions.if_unmodified_since}) {
        count += value->empty() ? 0 : 1;
    }
    if (count > 1) return fail(ErrorCode::usage, "a write takes one --if-... condition only");
    return {};
}

}  // namespace azlock::ops
