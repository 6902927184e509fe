#include "ops/login/token_answer.hpp"

#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

#include "base/encoding.hpp"
#include "base/http_date.hpp"
#include "base/secret.hpp"
#include "base/text.hpp"

namespace azlock::ops {
namespace {

using namespace std::chrono_literals;

constexpr auto kUnknownLife = 5min;
constexpr std::size_t kLongestToken = 64 * 1024;  // no service takes a longer header
constexpr std::size_t kLongestLine = 1000;        // of what a message repeats
// Longer lives are nonsense; the bound keeps the arithmetic far from overflow.
constexpr std::uint64_t kLongestLife = 366ULL * 24 * 3600;

std::string text_of(const nlohmann::json& value) {
    if (value.is_string()) return value.get<std::string>();
    if (value.is_number_unsigned()) return std::to_string(value.get<std::uint64_t>());
    if (value.is_number_integer()) return std::to_string(value.get<std::int64_t>());
    if (value.is_number_float() && value.get<double>() >= 0 && value.get<double>() < 1e15) {
        return std::to_string(static_cast<std::uint64_t>(value.get<double>()));
    }
    return {};
}

// "MM/dd/yyyy HH:mm:ss[ +00:00]"
std::optional<WallTime> parse_american(std::string_view text) {
    if (text.ends_with(" +00:00")) text.remove_suffix(7);
    if (text.size() != 19 || text[2] != '/' || text[5] != '/') return std::nullopt;
    const auto part = [&](std::size_t at, std::size_t size) { return std::string(text.substr(at, size)); };
    return parse_iso8601(part(6, 4) + "-" + part(0, 2) + "-" + part(3, 2) + "T" + part(11, 8) + "Z");
}

std::optional<WallTime> parse_end(const std::string& text) {
    if (const auto seconds = parse_u64(text); seconds && *seconds < 1'000'000'000'000) {
        constexpr std::uint64_t kLast = 9'000'000'000;  // beyond it nanoseconds overflow
        return WallTime(std::chrono::seconds(std::min(*seconds, kLast)));
    }
    if (auto american = parse_american(text)) return american;
    std::string iso = text;
    if (iso.ends_with("+00:00")) iso.resize(iso.size() - 6);
    if (!iso.ends_with('Z')) iso += 'Z';
    return parse_iso8601(iso);
}

bool can_be_a_token(std::string_view text) {
    return !text.empty() && text.size() <= kLongestToken &&
           std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7F; });
}

struct Advice {
    std::string_view code;
    std::string_view hint;
};

// The codes of Entra ID that a setting can cause.
constexpr std::array kAdvice{
    Advice{"700016", "this tenant has no application with that client id: check AZURE_CLIENT_ID and AZURE_TENANT_ID"},
    Advice{"90002", "there is no such tenant: check AZURE_TENANT_ID"},
    Advice{"900023", "AZURE_TENANT_ID is neither the id nor a domain of a tenant"},
    Advice{"7000215", "the client secret is wrong: AZURE_CLIENT_SECRET is the secret's value, not its id"},
    Advice{"7000222", "the client secret has expired: make a new one"},
    Advice{"700027", "the certificate is not registered on the application, or its key does not belong to it"},
    Advice{"700024", "the assertion has expired or is not valid yet: check this machine's clock, or get a fresh one"},
    Advice{"700021", "the assertion is not one of this client: its issuer and subject must be the client id"},
    Advice{"700023", "the assertion has the wrong audience"},
    Advice{"50027", "the assertion is malformed"},
    Advice{"70021", "no federated credential of the application matches the assertion; a new one takes some minutes"},
    Advice{"700211", "no federated credential of the application has the assertion's issuer"},
    Advice{"700212",
           "no federated credential of the application has the assertion's audience "
           "(api://AzureADTokenExchange)"},
    Advice{"700213",
           "no federated credential of the application has the assertion's subject, to the letter; a new one "
           "takes some minutes"},
    Advice{"7002138", "the subject of the federated credential differs from the assertion's in upper and lower case"},
    Advice{"53003", "a conditional access policy of the tenant forbids it"},
    Advice{"50076", "the tenant wants a second factor: log in again"},
    Advice{"50079", "the tenant wants a second factor: log in again"},
};

// "AADSTS700016: Application ..." -> "700016"
std::string_view entra_code(std::string_view description) {
    constexpr std::string_view kPrefix = "AADSTS";
    const std::size_t at = description.find(kPrefix);
    if (at == std::string_view::npos) return {};
    const std::string_view code = description.substr(at + kPrefix.size());
    return code.substr(0, std::min(code.find_first_not_of("0123456789"), code.size()));
}

// An endpoint may repeat what it was sent, in any part of its answer.
std::string shown(std::string_view text) {
    return redact(printable(text)).substr(0, kLongestLine);
}

}  // namespace

std::optional<JsonTexts> JsonTexts::read(std::string_view json) {
    const auto document = nlohmann::json::parse(json.begin(), json.end(), nullptr, false);
    if (!document.is_object()) return std::nullopt;
    JsonTexts out;
    for (const auto& [name, value] : document.items()) {
        if (value.is_object()) {
            for (const auto& [inner, text] : value.items()) out.texts_.emplace_back(name + "." + inner, text_of(text));
        } else {
            out.texts_.emplace_back(name, text_of(value));
        }
    }
    return out;
}

std::string JsonTexts::get(std::string_view name) const {
    for (const auto& [key, text] : texts_) {
        if (key == name) return text;
    }
    return {};
}

std::optional<Claims> read_claims(std::string_view jwt) {
    const auto parts = split(jwt, '.');
    if (parts.size() != 3) return std::nullopt;
    const auto json = base64url_decode(parts[1]);
    if (!json) return std::nullopt;
    const auto texts = JsonTexts::read({reinterpret_cast<const char*>(json->data()), json->size()});
    if (!texts) return std::nullopt;
    const auto either = [&](const char* first, const char* second) {
        const std::string text = texts->get(first);
        return text.empty() ? texts->get(second) : text;
    };
    return Claims{texts->get("tid"),
                  texts->get("oid"),
                  texts->get("sub"),
                  texts->get("iss"),
                  either("appid", "azp"),
                  either("upn", "preferred_username"),
                  texts->get("exp").empty() ? std::nullopt : parse_end(texts->get("exp"))};
}

Result<Token> read_token(std::string_view json, const Asked& asked, const TokenFields& fields) {
    const std::string from = "the answer of " + std::string(asked.source);
    const auto texts = JsonTexts::read(json);
    if (!texts) return fail(ErrorCode::auth, from + " is not JSON");
    const std::string bearer = texts->get(fields.token);
    if (bearer.empty()) return fail(ErrorCode::auth, from + " has no token in it");
    if (!can_be_a_token(bearer)) return fail(ErrorCode::auth, from + " has a malformed token in it");

    const auto seconds = [&](const char* name) -> std::optional<std::chrono::seconds> {
        const std::string text = texts->get(name);
        if (trim(text).starts_with('-')) return std::chrono::seconds(0);
        const auto number = parse_u64(trim(text));
        if (!number) return std::nullopt;
        return std::chrono::seconds(std::min(*number, kLongestLife));
    };
    Token token{Secret(bearer), asked.sent, asked.now + kUnknownLife, {}};
    std::optional<WallTime> end;
    if (!texts->get(fields.ends).empty()) end = parse_end(texts->get(fields.ends));
    if (!end) {
        const auto claims = read_claims(bearer);
        if (claims) end = claims->ends;
    }
    if (const auto life = seconds("expires_in")) {
        token.ends = asked.sent + *life;
    } else if (end) {
        token.ends = asked.now +
                     std::clamp<std::chrono::nanoseconds>(*end - asked.wall, -1s, std::chrono::seconds(kLongestLife));
    }
    // A zero would have azlock ask all the time.
    if (const auto refresh = seconds("refresh_in"); refresh && *refresh > 0s) token.refresh = asked.sent + *refresh;
    if (token.ends <= asked.now) {
        return fail(ErrorCode::auth, "the token of " + std::string(asked.source) + " had ended when it came",
                    "check this machine's clock");
    }
    return token;
}

Error token_refusal(const http::Response& answer, std::string_view source) {
    const std::string who(source);
    Error error = make_error(ErrorCode::auth, who + " gave no token: HTTP " + std::to_string(answer.status));
    error.http_status = answer.status;
    if (answer.status >= 300 && answer.status < 400) {
        error.message += ", a redirect, which azlock does not follow";
        return error;
    }
    const auto texts = JsonTexts::read(answer.body);
    if (!texts) {
        const std::string type(answer.headers.get("Content-Type"));
        if (!type.empty()) error.message += " (" + shown(type) + ")";
        error.hint = "did a proxy or a sign-in page answer?";
        return error;
    }
    const auto first_of = [&](std::initializer_list<const char*> names) {
        for (const char* name : names) {
            const std::string text = texts->get(name);
            if (!text.empty()) return text;
        }
        return std::string();
    };
    const std::string description = first_of({"error_description", "error.message", "message", "error"});
    const std::string line(trim(std::string_view(description).substr(0, description.find('\n'))));
    if (!line.empty()) error.message += ", " + shown(line);
    error.service_code = shown(first_of({"error", "error.code"}));
    error.request_id = shown(texts->get("trace_id"));
    const std::string_view code = entra_code(description);
    for (const Advice& advice : kAdvice) {
        if (advice.code == code) error.hint = advice.hint;
    }
    return error;
}

}  // namespace azlock::ops
