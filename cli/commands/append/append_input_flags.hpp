// The flags of append that say how its input is read, cut, kept and spooled.
#pragma once

#include "cli/program/parser.hpp"
#include "ops/append/input/request.hpp"

namespace azlock::cli {

void add_append_input_flags(Parser& command, ops::AppendInputRequest& request);

}  // namespace azlock::cli
