#include "ops/lock/keeper.hpp"

#include "base/text.hpp"

namespace azlock::ops {
namespace {

constexpr std::string_view kLost = "lost";

}  // namespace

Result<Keeper> Keeper::create() {
    auto socket = os::AncestorSocket::create();
    if (!socket) return fail(socket.error());
    return Keeper(std::move(*socket));
}

void Keeper::answer(pid_t guard, const std::string& lease_id, const KeeperAnswer& answer) const {
    const std::string time = std::to_string(answer.term_at.time_since_epoch().count());
    socket_.answer(guard, lease_id + " " + (answer.held ? time : std::string(kLost)));
}

KeeperSays ask_keeper(const std::string& address, const std::string& lease_id, std::chrono::milliseconds at_most) {
    const os::AncestorSays said = os::ask_ancestor(address, at_most);
    if (!said.text || !said.text->starts_with(lease_id + " ")) return {.silent = said.silent};
    const std::string_view rest = std::string_view(*said.text).substr(lease_id.size() + 1);
    if (rest == kLost) return {.answer = KeeperAnswer{}};
    const auto time = parse_u64(rest);
    if (!time) return {};
    return {.answer = KeeperAnswer{true, BootTime(std::chrono::nanoseconds(static_cast<std::int64_t>(*time)))}};
}

}  // namespace azlock::ops
