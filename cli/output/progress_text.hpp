// What the user sees of a command's progress: lines for a terminal of a given width, one line elsewhere, JSON.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "cli/output/json.hpp"
#include "cli/output/terminal_lines.hpp"
#include "ops/transfer/progress.hpp"

namespace azlock::cli {

// Of the files that are under way.
inline constexpr std::size_t kMostShownParts = 3;

struct ProgressView {
    std::string name;
    std::string unit;         // of `items`; empty: they are not counted
    std::uint64_t total = 0;  // 0: not known
    std::uint64_t sent = 0;
    std::uint64_t reused = 0;
    std::uint64_t reused_blocks = 0;
    std::uint64_t moving = 0;
    std::uint64_t compared = 0;
    std::uint64_t files = 0;
    std::uint64_t files_done = 0;
    std::uint64_t items = 0;
    std::uint64_t retries = 0;
    std::vector<ops::Progress::Part> parts = {};  // of the files that are under way: the first ones
    double rate = 0;                              // bytes per second over the last seconds
    std::chrono::milliseconds elapsed{0};

    // Nothing was sent yet: the source is compared with what is there.
    [[nodiscard]] bool compares() const { return compared > 0 && sent + reused + moving == 0; }
    [[nodiscard]] std::uint64_t done() const { return compares() ? compared : sent + reused + moving; }
};

// "big.iso: 1.2 GiB of 4 GiB, 31 %, 110 MiB/s, 25 s left, 25 blocks (200 MiB) reused, 2 retries"
[[nodiscard]] std::string progress_text(const ProgressView& view);

// The lines for a terminal, each narrower than the screen: the whole, with a bar as far as there is room, then the
// files that are under way. The narrower the screen, the less a line says; the per cent goes last.
[[nodiscard]] std::vector<std::string> progress_lines(const ProgressView& view, const TerminalSize& size, bool color);

[[nodiscard]] Json progress_json(const ProgressView& view);

}  // namespace azlock::cli
