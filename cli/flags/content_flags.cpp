#include "cli/flags/content_flags.hpp"

namespace azlock::cli {

void add_content_flags(Parser& command, ops::ContentRequest& flags, const std::string& type_default) {
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

}  // namespace azlock::cli
