// The flags for a blob's headers, metadata, tags and tier.
#pragma once

#include "cli/program/parser.hpp"
#include "ops/write/content_request.hpp"

namespace azlock::cli {

// `type_default`: the default of --content-type, in words for the help.
void add_content_flags(Parser& command, ops::ContentRequest& flags, const std::string& type_default);

}  // namespace azlock::cli
