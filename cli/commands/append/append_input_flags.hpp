// The flags of append that say how its input is read, cut, kept and spooled.
#pragma once

#include "cli/program/parser.hpp"
#include "ops/append/input/input.hpp"

namespace azlock::cli {

struct AppendInputFlags {
    ops::CutOptions cut;  // the parser sets some of its members
    std::optional<std::uint64_t> batch_size;
    std::optional<std::chrono::milliseconds> flush_interval;
    std::string timestamp;  // "rfc3339" or a format
    std::string prefix;
    bool follow = false;
    std::string follow_from;
    bool tee = false;
    std::optional<std::uint64_t> buffer;
    std::string on_full;
    std::string spool_dir;
    std::optional<std::uint64_t> spool_max;
};

void add_append_input_flags(Parser& command, AppendInputFlags& flags);

// What the other flags of the command determine about its input.
struct AppendInputPlan {
    std::string file;         // empty or "-": standard input
    std::string destination;  // the blob that a spool belongs to: its full address, without secrets
    std::uint64_t max_block = std::uint64_t{100} << 20U;  // the most bytes that the service takes in one block
    bool resume = false;
    bool json = false;  // standard output carries the summary
};

// Error: usage. With --tee the copy goes to standard output, so the command must print nothing else there.
[[nodiscard]] Result<ops::AppendInputOptions> read_append_input(const AppendInputFlags& flags,
                                                                const AppendInputPlan& plan);

}  // namespace azlock::cli
