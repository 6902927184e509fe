// The lease state machine of a blob or container, and what a lease does to reads and writes.
#pragma once

#include <string>
#include <string_view>

#include "support/fake_wire.hpp"

namespace azlock::test::fake {

enum class LeaseState { available, leased, breaking, broken, expired };
[[nodiscard]] std::string_view to_string(LeaseState state);

// The code that a write with the id of an expired lease gets. The published error table says LeaseLost.
inline constexpr const char* kExpiredLeaseCode = "LeaseLost";

class Lease {
  public:
    // `target` is "Blob" or "Container": it selects the names of the error codes.
    explicit Lease(std::string target) : target_(std::move(target)) {}

    [[nodiscard]] LeaseState state(BootTime now) const;
    [[nodiscard]] const std::string& id() const { return id_; }

    // Carries out x-ms-lease-action with its other headers. The caller checks the conditions.
    [[nodiscard]] Reply act(const Call& call);

    [[nodiscard]] Check allows_write(const Call& call) const;
    [[nodiscard]] Check allows_read(const Call& call) const;
    // A write ends a broken or expired lease: its id is forgotten.
    void note_write(BootTime now);
    // Sets x-ms-lease-state, -status and -duration.
    void describe(BootTime now, http::Headers& out) const;
    [[nodiscard]] std::string duration_word(BootTime now) const;

  private:
    Reply acquire(const Call& call);
    Reply renew(const std::string& id, BootTime now);
    Reply change(const std::string& id, const std::string& proposed, BootTime now);
    Reply release(const std::string& id);
    Reply break_it(const Call& call);
    void start(BootTime now);

    std::string target_;
    std::string id_;
    LeaseState stored_ = LeaseState::available;  // never `expired`: that is `leased` after its time has run out
    int seconds_ = 0;                            // -1: infinite
    BootTime until_{};                           // end of a fixed lease or of breaking
};

// Any of the usual spellings of a GUID, as lower case with hyphens; nullopt for anything else.
[[nodiscard]] std::optional<std::string> canonical_guid(std::string_view text);

}  // namespace azlock::test::fake
