// The options of `lock` and `elect`, and what follows from them before anything is asked of the service.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <CLI/App.hpp>

#include "cli/program/context.hpp"
#include "ops/lock/name.hpp"
#include "ops/lock/session.hpp"
#include "ops/lock/timing.hpp"

namespace azlock::cli {

struct LockOptions {
    std::string name;
    std::string container = "locks";
    std::optional<std::chrono::milliseconds> ttl;
    std::optional<std::chrono::milliseconds> kill_after;
    std::uint64_t slots = 1;
    std::vector<std::string> owner;
    std::optional<std::chrono::milliseconds> run_timeout;
    std::string on_lost;
    std::string orphans = "wait";
    std::string shell_text;
    bool no_quarantine = false;
    // lock only
    bool never_wait = false;
    std::optional<std::chrono::milliseconds> wait;
    std::optional<int> busy_code;
    std::string status_file;
    bool no_reentrant = false;
    bool gives_terminal = true;  // SessionOptions
};

// What both commands take.
void add_lock_flags(CLI::App& command, LockOptions& options);

// The command to execute: after `--`, or /bin/sh -c with -c. Error: usage.
[[nodiscard]] Result<std::vector<std::string>> lock_command_line(const LockOptions& options,
                                                                 const std::vector<std::string>& after_dashes);

[[nodiscard]] Result<ops::LockTiming> lock_timing(const LockOptions& options);
[[nodiscard]] ops::Orphans orphans_of(const LockOptions& options);
// Who we are, for the record. Error: usage, for an --owner that is none.
[[nodiscard]] Result<ops::OwnerRecord> lock_owner(const LockOptions& options, const std::string& command);

// NAME as a TARGET: a blob in the container, or what it already is.
[[nodiscard]] std::string lock_target(const LockOptions& options);
// The blobs: NAME itself, or for a TARGET the blob beside it, TARGET.azlock. Error: usage.
[[nodiscard]] Result<ops::LockName> lock_name(const LockOptions& options, const azure::BlobAddress& address);

}  // namespace azlock::cli
