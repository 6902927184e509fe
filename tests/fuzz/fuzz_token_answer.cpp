// What token endpoints and tools answer, in whatever form: a token can be sent and has an end that can be counted with,
// and a refusal is one line that holds no secret.
#include <nlohmann/json.hpp>

#include "fuzz_support.hpp"
#include "ops/login/token_answer.hpp"
#include "ops/login/token_cycle.hpp"
#include "ops/login/token_request.hpp"
#include "support/seeded_random.hpp"

using namespace azlock;
using namespace azlock::fuzz;
using namespace std::chrono_literals;

namespace {

constexpr std::string_view kSecret = "U0VDUkVU0123";
const ops::Asked kAsked{BootTime(100s), BootTime(101s), WallTime(1'700'000'000s), "the desk"};

void check_token(std::string_view json, const ops::TokenFields& fields) {
    const auto token = ops::read_token(json, kAsked, fields);
    if (!token) {
        require(token.error().code == ErrorCode::auth, "no token means no permission");
        return require_presentable(token.error(), kSecret);
    }
    require(is_one_line(token->bearer.reveal()) && !token->bearer.empty(), "a token is one header value", json);
    require(token->bearer.reveal().find(' ') == std::string::npos, "a token has no blanks", json);
    require(token->ends > kAsked.now && token->ends <= kAsked.now + 366 * 24h, "a token ends some day", json);
    SeededRandom random(1);
    const BootTime refresh = ops::refresh_time(*token, random);
    require(refresh >= token->asked && refresh <= token->ends, "a token is renewed while it lives", json);
}

void check_refusal(std::string_view body, int status) {
    http::Response answer;
    answer.status = status;
    answer.headers.set("Content-Type", std::string(body.substr(0, 40)));
    answer.body = body;
    const Error error = ops::refusal_of(answer, "the desk", {});
    require_presentable(error, kSecret);
    require(is_one_line(error.request_id) && error.request_id.find(kSecret) == std::string::npos,
            "an id is one line without a secret", error.request_id);
    require(error.http_status == status, "a refusal keeps its status");
}

// The endpoint repeats what it was sent, in each part that is shown.
std::string repeating(std::string_view text) {
    const std::string form = std::string(text) + " grant_type=x&client_secret=" + std::string(kSecret) + "&client_id=c";
    const nlohmann::json body{{"error", form}, {"error_description", form}, {"trace_id", form}};
    return body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text = as_text(data, size);
    if (knows(text, kSecret)) return 0;
    check_token(text, {});
    check_token(text, {"accessToken", "expires_on"});
    check_token(text, {"token", "expiresOn"});
    if (!text.empty())
        check_token("{\"access_token\":\"" + std::string(kSecret) + "\"," + std::string(text.substr(1)), {});
    for (const int status : {200, 302, 400, 401, 410, 503}) check_refusal(text, status);
    check_refusal(repeating(text), 400);
    check_refusal("client_secret=" + std::string(kSecret) + " " + std::string(text), 502);
    return 0;
}
