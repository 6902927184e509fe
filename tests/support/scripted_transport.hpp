// A Transport that plays back answers in the order of a script and keeps what it was asked.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "http/transport.hpp"

namespace azlock::test {

// Not thread-safe. A request past the end of the script throws.
class ScriptedTransport final : public http::Transport {
  public:
    using Play = std::function<Result<http::Response>(const http::Request&, std::stop_token)>;

    void play(Play next) { script_.push_back(std::move(next)); }
    void answer(http::Response response);
    void fail(TransportFault fault, bool may_have_applied);

    [[nodiscard]] Result<http::Response> send(const http::Request& request, Deadline deadline,
                                              std::stop_token stop) override;

    // What was sent and until when, in order.
    std::vector<http::Request> requests;
    std::vector<Deadline> deadlines;
    [[nodiscard]] bool done() const { return script_.empty(); }

  private:
    std::deque<Play> script_;
};

// An answer of the service (with the service's headers), and one of something else (without them).
[[nodiscard]] http::Response service_answer(int status, const std::string& code = {},
                                            const std::vector<std::pair<std::string, std::string>>& headers = {});
[[nodiscard]] http::Response foreign_answer(int status);

}  // namespace azlock::test
