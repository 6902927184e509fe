// --status-file FILE. The program itself reads its value, because it replaces the file before it knows whether the rest
// of the command line is right; the command writes to Context::status_file().
#pragma once

#include "cli/program/parser.hpp"

namespace azlock::cli {

void add_status_file_flag(Parser& command);

}  // namespace azlock::cli
