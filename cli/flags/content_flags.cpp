#include "cli/flags/content_flags.hpp"

#include "base/encoding.hpp"
#include "base/name_value.hpp"
#include "base/text.hpp"

namespace azlock::cli {

void add_content_flags(Parser& command, ContentFlags& flags, const std::string& type_default) {
    const auto content = [](Option* option, const char* type) { option->type_name(type)->group("Content"); };
    content(command.add_option("--content-type", flags.content.type, "Content type (default: " + type_default + ")"),
            "TYPE");
    content(command.add_option("--content-encoding", flags.content.encoding, "Content encoding, such as gzip"),
            "ENCODING");
    content(command.add_option("--content-language", flags.content.language, "Content language"), "LANGUAGE");
    content(command.add_option("--content-disposition", flags.content.disposition, "Content disposition"), "TEXT");
    content(command.add_option("--cache-control", flags.content.cache_control, "Cache control"), "TEXT");
    content(command.add_option("--tier", flags.access_tier, "Access tier")
                ->choices_in_any_case({"Hot", "Cool", "Cold", "Archive"}),
            "TIER");
    content(command.add_option("--metadata", flags.metadata, "Metadata pair; may be repeated")->repeated(),
            "NAME=VALUE");
    content(command.add_option("--tags", flags.tags, "Index tag; may be repeated")->repeated(), "NAME=VALUE");
}

// The service's limits: 10 pairs; names of 1 to 128 and values of up to 256 characters; only letters, digits and
// "+-./:=_ ".
Result<std::string> read_tags(const std::vector<std::string>& pairs) {
    std::string out;
    for (const std::string& pair : pairs) {
        const auto tag = read_pair("--tags", pair, "NAME=VALUE");
        if (!tag) return fail(tag.error());
        if (tag->first.size() > 128 || tag->second.size() > 256) {
            return fail(ErrorCode::usage, "--tags: '" + printable(pair) + "' is too long",
                        "a name has at most 128 characters, a value at most 256");
        }
        for (const char c : pair) {
            if (!is_alnum(c) && std::string_view("+-./:=_ ").find(c) == std::string_view::npos) {
                return fail(ErrorCode::usage, "--tags: '" + printable(pair) +
                                                  "': tags may contain only letters, digits, blanks and + - . / : = _");
            }
        }
        if (!out.empty()) out += '&';
        out += percent_encode(tag->first) + '=' + percent_encode(tag->second);
    }
    if (pairs.size() > 10) return fail(ErrorCode::usage, "--tags: a blob has at most 10 tags");
    return out;
}

}  // namespace azlock::cli
