#include "cli/flags/status_file_flag.hpp"

namespace azlock::cli {

void add_status_file_flag(Parser& command) {
    const auto read_by_program = [](const std::string&) { return Status(); };
    command.add_value("--status-file", read_by_program, "File for a JSON report of the result")->type_name("FILE");
}

}  // namespace azlock::cli
