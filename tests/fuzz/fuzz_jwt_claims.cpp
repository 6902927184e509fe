// JWTs from a variable, a file or an endpoint: what they say of themselves, and their end as that of a token.
#include <nlohmann/json.hpp>

#include "base/encoding.hpp"
#include "base/http_date.hpp"
#include "base/text.hpp"
#include "fuzz_support.hpp"
#include "ops/login/application.hpp"
#include "ops/login/token_answer.hpp"
#include "support/fake_clock.hpp"

using namespace azlock;
using namespace azlock::fuzz;

namespace {

constexpr std::string_view kSecret = "U0VDUkVU0123";

void check_claims(const std::string& jwt) {
    const auto claims = ops::read_claims(jwt);
    if (!claims) return;
    require(split(jwt, '.').size() == 3, "a JWT has three parts", jwt);
    if (claims->ends) require(format_iso8601(*claims->ends).size() == 20, "an end can be told", jwt);
}

// Only what has the form of a JWT is sent, and the error about any other text does not repeat it.
void check_proof(const std::string& jwt) {
    test::FakeClock clock;
    const auto proof = ops::prove_by_text(Secret(jwt), clock, "AZURE_ID_TOKEN")(kNoDeadline, {});
    if (!proof) {
        require(proof.error().code == ErrorCode::auth, "a bad assertion means no permission");
        return require_presentable(proof.error(), kSecret);
    }
    require(proof->value.reveal() == jwt && is_one_line(jwt), "an assertion is sent as it is", jwt);
    const auto claims = ops::read_claims(jwt);
    require(!claims || !claims->ends || *claims->ends > clock.wall(), "an assertion that has ended is not sent", jwt);
}

void check_as_token(const std::string& jwt) {
    const ops::Asked asked{BootTime(), BootTime(), WallTime(std::chrono::seconds(1'700'000'000)), "the desk"};
    const nlohmann::json body{{"access_token", jwt}};
    const auto token = ops::read_token(body.dump(), asked);
    if (!token) return require_presentable(token.error(), jwt);
    const auto claims = ops::read_claims(jwt);
    if (!claims || !claims->ends || *claims->ends - asked.wall > std::chrono::hours(366 * 24)) return;
    require(token->ends - asked.now == *claims->ends - asked.wall, "a token without an end has that of its JWT", jwt);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(as_text(data, size));
    if (knows(text, kSecret)) return 0;
    check_claims(text);
    check_proof(text);
    check_proof(text + std::string(kSecret));
    const std::string jwt = "aGVhZA." + base64url_encode(as_bytes(text)) + ".c2ln";
    require(ops::read_claims(jwt).has_value() == ops::JsonTexts::read(text).has_value(),
            "a claim is read if it is there", text);
    check_claims(jwt);
    check_proof(jwt);
    check_as_token(jwt);
    return 0;
}
