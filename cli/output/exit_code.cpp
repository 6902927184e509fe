#include "cli/output/exit_code.hpp"

namespace azlock::cli {

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

std::string exit_code_help() {
    return "Exit codes:\n"
           "  0   done\n"
           "  64  usage: a flag, argument or name that cannot be used\n"
           "  65  data: checksum mismatch, source changed while it was read\n"
           "  66  local input missing or unreadable\n"
           "  69  service unavailable after retries, no connection, deadline passed\n"
           "  70  a bug in azlock\n"
           "  73  precondition failed: ETag mismatch, blob already exists\n"
           "  74  local I/O error\n"
           "  75  busy: leased by someone else\n"
           "  76  done, but the result could not be printed; standard error has it\n"
           "  77  authentication or authorization (401, 403)\n"
           "  78  configuration: account, key, connection string\n"
           "  79  container or blob not found\n"
           "  80  not modified (conditional read)\n"
           "  122 the lock or lease was lost (lock, lock-check, lease keep)\n"
           "  128+N  stopped by signal N";
}

}  // namespace azlock::cli
