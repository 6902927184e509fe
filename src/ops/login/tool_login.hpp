// Tokens of a person who has logged in with az or azd, which are asked as child processes.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ops/login/token.hpp"

namespace azlock::ops {

struct ToolOutput {
    int code = 0;
    std::string out;
    std::string errors;  // the last bytes
};
// Errors: input_missing (there is no such program), cancelled, unavailable (the deadline came, and the program was
// ended), io.
using RunTool = std::function<Result<ToolOutput>(const std::vector<std::string>& argv, Clock& clock, Deadline deadline,
                                                 const std::stop_token& stop)>;
// Runs the program without a shell, away from the current directory, without input.
[[nodiscard]] Result<ToolOutput> run_tool(const std::vector<std::string>& argv, Clock& clock, Deadline deadline,
                                          const std::stop_token& stop);

// `tenant` empty: the one that the tool has chosen.
[[nodiscard]] std::unique_ptr<TokenSource> make_az_source(Clock& clock, const std::string& tenant,
                                                          RunTool run = run_tool);
[[nodiscard]] std::unique_ptr<TokenSource> make_azd_source(Clock& clock, const std::string& tenant,
                                                           RunTool run = run_tool);

}  // namespace azlock::ops
