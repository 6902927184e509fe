// The flags of cas-update: how the new content is made, when it gives up, what else changes.
#pragma once

#include "cli/flags/fence_flags.hpp"
#include "cli/program/parser.hpp"
#include "ops/cas/request.hpp"
#include "ops/write/content_request.hpp"

namespace azlock::cli {

struct CasFlags {
    std::string blob;
    ops::CasRequest request;  // without the command line

    FenceFlags fence;
    bool no_lease_fallback = false;

    ops::ContentRequest content;
};

void add_cas_flags(Parser& command, CasFlags& flags);

// Errors: usage.
[[nodiscard]] Result<ops::CasRequest> read_cas_flags(const CasFlags& flags);

}  // namespace azlock::cli
