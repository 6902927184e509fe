#include "cli/output/exit_code.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace azlock::cli {
namespace {

constexpr std::array kExitCodes{
    ExitCode{"0", "done"},
    ExitCode{"64", "usage: a flag, argument or name that cannot be used"},
    ExitCode{"65", "data: checksum mismatch, source changed while it was read"},
    ExitCode{"66", "local input missing or unreadable"},
    ExitCode{"69", "service unavailable after retries, no connection, deadline passed"},
    ExitCode{"70", "a bug in azlock"},
    ExitCode{"73", "precondition failed: ETag mismatch, blob already exists"},
    ExitCode{"74", "local I/O error, or a limit of this system"},
    ExitCode{"75", "busy: leased by someone else"},
    ExitCode{"76", "done, but the result could not be printed; standard error has it"},
    ExitCode{"77", "authentication or authorization (401, 403)"},
    ExitCode{"78", "configuration: account, key, connection string"},
    ExitCode{"79", "container or blob not found"},
    ExitCode{"80", "not modified (conditional read)"},
    ExitCode{"122", "the lock or lease was lost"},
    ExitCode{"123", "all is done, and some tasks became dead letters or were refused"},
    ExitCode{"124", "--run-timeout has passed"},
    ExitCode{"125", "the command could not be started"},
    ExitCode{"126", "the command cannot be executed"},
    ExitCode{"127", "the command was not found"},
    ExitCode{"128+N", "stopped by signal N"},
};

using Codes = std::vector<std::string_view>;

// What every command can end with, and every command that talks to the service.
const Codes kEvery{"0", "64", "70", "74"};
const Codes kOnline{"69", "77", "78", "128+N"};

// What else a command can end with.
const std::map<std::string_view, Codes> kOfCommand{
    {"upload", {"65", "66", "73", "75", "76", "79", "125"}},
    {"resume", {"65", "66", "73", "75", "76", "79"}},
    {"append", {"65", "66", "73", "75", "76", "79", "125"}},
    {"verify", {"65", "66", "73", "79"}},
    {"download", {"65", "66", "73", "79", "80"}},
    {"show", {"73", "79", "80"}},
    {"list", {"79"}},
    {"watch", {"65", "79", "125", "126", "127"}},
    {"delete", {"73", "75", "79"}},
    {"cas-update", {"65", "66", "73", "75", "76", "79", "124", "125", "126", "127"}},
    {"container", {"73", "75", "79"}},
    {"container create", {"73"}},
    {"container delete", {"73", "75", "79"}},
    {"container show", {"79"}},
    {"lease", {"73", "75", "76", "79", "122"}},
    {"lease acquire", {"73", "75", "76", "79"}},
    {"lease renew", {"73", "75", "79"}},
    {"lease change", {"73", "75", "76", "79"}},
    {"lease release", {"73", "75", "79"}},
    {"lease break", {"73", "75", "76", "79"}},
    {"lease keep", {"73", "75", "79", "122"}},
    {"lease show", {"79"}},
    {"lease list", {"79"}},
    {"lock", {"73", "75", "79", "122", "124", "125", "126", "127"}},
    {"lock-check", {"122"}},
    {"elect", {"73", "75", "79", "122", "124", "125", "126", "127"}},
    {"queue", {"65", "66", "73", "75", "76", "79", "122", "123", "125", "126", "127"}},
    {"queue put", {"66", "73", "76", "79"}},
    {"queue work", {"73", "79", "122", "123", "125", "126", "127"}},
    {"queue list", {"79"}},
    {"queue stats", {"79"}},
    {"queue show", {"79"}},
    {"queue peek", {"79"}},
    {"queue retry", {"73", "75", "76", "79"}},
    {"queue kick", {"73", "75", "76", "79"}},
    {"queue delete", {"73", "75", "76", "79"}},
    {"sas", {"76"}},
    {"doctor", {"73", "75", "79"}},
};

}  // namespace

int exit_code(const Error& error, int signal) {
    if (error.lost) return kExitLost;
    switch (error.code) {
        case ErrorCode::usage: return kExitUsage;
        case ErrorCode::data: return 65;
        case ErrorCode::input_missing: return 66;
        case ErrorCode::unavailable: return 69;
        case ErrorCode::internal: return kExitBug;
        case ErrorCode::precondition: return 73;
        case ErrorCode::io: return 74;
        case ErrorCode::busy: return 75;
        case ErrorCode::auth: return 77;
        case ErrorCode::config: return 78;
        case ErrorCode::not_found: return 79;
        case ErrorCode::not_modified: return 80;
        case ErrorCode::cancelled: return signal != 0 ? 128 + signal : kExitBug;
    }
    return kExitBug;
}

std::vector<ExitCode> exit_codes_of(std::string_view command) {
    const auto found = kOfCommand.find(command);
    const bool online = found != kOfCommand.end();
    const auto has = [](const Codes& codes, std::string_view code) {
        return std::find(codes.begin(), codes.end(), code) != codes.end();
    };
    std::vector<ExitCode> out;
    std::copy_if(kExitCodes.begin(), kExitCodes.end(), std::back_inserter(out), [&](const ExitCode& row) {
        return command.empty() || has(kEvery, row.code) ||
               (online && (has(kOnline, row.code) || has(found->second, row.code)));
    });
    return out;
}

}  // namespace azlock::cli
