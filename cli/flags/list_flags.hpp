// Flags of the commands that print a list.
#pragma once

#include <string>
#include <vector>

#include "cli/program/parser.hpp"

namespace azlock::cli {

struct ListFlags {
    std::string sort;   // empty: as the service lists
    bool more = false;  // --long
};

// `orders`: the values of --sort. `more`: what --long adds.
void add_list_flags(Parser& command, ListFlags& flags, const std::vector<std::string>& orders, const std::string& more);

}  // namespace azlock::cli
