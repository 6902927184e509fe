// A scripted network for token sources, with an environment of the test's own.
#pragma once

#include <map>
#include <string>

#include "ops/login/choose.hpp"
#include "support/fake_clock.hpp"
#include "support/scripted_transport.hpp"
#include "support/seeded_random.hpp"

namespace azlock::test {

inline http::Response token_answer(int status, std::string body,
                                   const std::vector<std::pair<std::string, std::string>>& headers = {}) {
    http::Response out;
    out.status = status;
    out.headers.set("Content-Type", "application/json");
    for (const auto& [name, value] : headers) out.headers.set(name, value);
    out.body = std::move(body);
    return out;
}

inline std::string body_of(const http::Request& request) {
    std::string out(request.content_length(), '\0');
    if (request.body) (void)request.body->read_at(0, std::as_writable_bytes(std::span(out)));
    return out;
}

struct LoginRig {
    [[nodiscard]] ops::TokenLine line() {
        return {[this]() -> Result<http::Transport*> { return &transport; }, clock, random, limits};
    }
    [[nodiscard]] ops::LoginOptions options(std::string credential = {}) {
        return {line(),
                [this](const char* name) {
                    const auto found = variables.find(name);
                    return found == variables.end() ? std::string() : found->second;
                },
                std::move(credential), "https://login.microsoftonline.com",
                [this](const std::vector<std::string>& argv, Clock&, Deadline, const std::stop_token&) {
                    tools.push_back(argv.front());
                    return Result<ops::ToolOutput>(azlock::fail(ErrorCode::input_missing, "no such program"));
                }};
    }
    // A token of what the variables choose, or the error.
    [[nodiscard]] Result<ops::Token> fetch(std::string credential = {}, Deadline deadline = kNoDeadline) {
        auto source = ops::choose_source(options(std::move(credential)));
        if (!source) return fail(source.error());
        return (*source)->fetch(deadline, {});
    }
    void give_token() { transport.answer(token_answer(200, R"({"access_token":"ey","expires_in":3599})")); }
    void be_application() {
        variables["AZURE_CLIENT_ID"] = "client-1";
        variables["AZURE_TENANT_ID"] = "tenant-1";
    }

    std::map<std::string, std::string> variables;
    std::vector<std::string> tools;  // that were asked; none is installed
    ScriptedTransport transport;
    FakeClock clock;
    SeededRandom random{1};
    ops::TokenLimits limits;
};

}  // namespace azlock::test
