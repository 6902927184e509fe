// Updates by compare and swap of "box/data", by us and by a peer.
#pragma once

#include <string>
#include <vector>

#include "ops/cas/transform_text.hpp"
#include "ops/cas/update.hpp"
#include "unit/rig.hpp"

namespace azlock::test {

struct CasRig : Rig {
    [[nodiscard]] Result<ops::CasReport> update(const ops::CasTransform& transform, ops::CasOptions options = {}) {
        options.tell = [this](const std::string& line) { said.push_back(line); };
        return ops::cas_update(us.client(), blob, transform, options, {});
    }
    [[nodiscard]] Result<ops::CasReport> add_one(const ops::CasOptions& options = {}) {
        return update(ops::add_integer(1), options);
    }
    // An update by another azlock. It is refused if somebody has a lease.
    void peer_adds_one(bool create = false) {
        ops::CasOptions options;
        options.create = create;
        options.max_tries = 1;
        options.wait = std::chrono::seconds(0);
        (void)ops::cas_update(peer.client(), blob, ops::add_integer(1), options, {});
    }
    void peer_leases(int seconds) {
        const auto taken = peer.client().acquire_lease(blob, seconds, kPeerLease, {}, {});
        if (!taken) throw std::runtime_error(why(taken));
    }

    static constexpr const char* kPeerLease = "bbbbbbbb-1111-2222-3333-444444444444";
    std::vector<std::string> said;
};

// Calls `first`, then carries the request out. The answer is always lost.
[[nodiscard]] inline Fault after_and_lost(std::function<void()> first) {
    return [first = std::move(first)](const FaultCall& call) -> Result<http::Response> {
        first();
        (void)call.forward(call.request);
        Error error = make_error(ErrorCode::unavailable, "the connection broke");
        error.fault = TransportFault::reset;
        error.may_have_applied = true;
        return fail(std::move(error));
    };
}

}  // namespace azlock::test
