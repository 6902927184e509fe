// A CommandRig whose commands log in with Entra ID.
#pragma once

#include <atomic>

#include "unit/cli/command_rig.hpp"

namespace azlock::test {

inline http::Response token_of(const std::string& token) {
    http::Response out;
    out.status = 200;
    out.body = R"({"token_type":"Bearer","expires_in":3599,"access_token":")" + token + "\"}";
    return out;
}

inline bool is_token_request(const http::Request& request) {
    return request.origin.host == "login.microsoftonline.com";
}

// A service principal, and no key.
struct LoginCommandRig : CommandRig {
    LoginCommandRig() {
        environment.set("AZURE_STORAGE_CONNECTION_STRING", "");
        environment.set("AZURE_STORAGE_SERVICE_ENDPOINT", std::string("http://127.0.0.1:10000/") + kRigAccount);
        environment.set("AZURE_CLIENT_ID", "client");
        environment.set("AZURE_TENANT_ID", "tenant");
        environment.set("AZURE_CLIENT_SECRET", "MARKER");
        service.put("box", "data", "content");
    }
    // The endpoint answers each request with the next of these; the last one again and again.
    void give(std::vector<http::Response> answers) {
        faulty.on(is_token_request, "a token request").from(1).with("token", [this, answers](const FaultCall&) {
            return answers.at(std::min<std::size_t>(asked++, answers.size() - 1));
        });
    }
    std::atomic<std::size_t> asked{0};
};

}  // namespace azlock::test
