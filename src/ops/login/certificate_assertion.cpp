#include "ops/login/certificate_assertion.hpp"

#include "base/digest.hpp"
#include "base/encoding.hpp"
#include "base/file.hpp"
#include "base/http_date.hpp"
#include "base/signing_key.hpp"
#include "base/text.hpp"

namespace azlock::ops {
namespace {

constexpr std::size_t kLongestCertificate = 1024 * 1024;
constexpr std::chrono::minutes kAssertionLife{10};
constexpr const char* kFile = "AZURE_CLIENT_CERTIFICATE_PATH";

// `what`: the name of the setting.
Result<std::string> read_whole(const std::string& path, const std::string& what) {
    const auto file = open_whole_input(path);
    if (!file) return fail(ErrorCode::auth, what + ": " + file.error().message);
    std::string text(kLongestCertificate, '\0');
    const auto size = read_full(file->get(), std::as_writable_bytes(std::span(text)), path);
    if (!size) return fail(ErrorCode::auth, what + ": " + size.error().message);
    text.resize(*size);
    return text;
}

Result<SigningKey> read_certificate(const CertificateOptions& options) {
    Secret passphrase = options.passphrase;
    if (passphrase.empty() && !options.passphrase_file.empty()) {
        const auto text = read_whole(options.passphrase_file, "AZURE_CLIENT_CERTIFICATE_PASSWORD_FILE");
        if (!text) return fail(text.error());
        passphrase = Secret(std::string(trim(std::string_view(*text).substr(0, text->find('\n')))));
    }
    const auto text = read_whole(options.file, kFile);
    if (!text) return fail(text.error());
    auto key = SigningKey::read(*text, passphrase);
    if (key) return key;
    const std::string& hint = key.error().hint;
    return fail(ErrorCode::auth, std::string(kFile) + ": '" + printable(options.file) + "': " + key.error().message,
                hint.empty()
                    ? "it must hold a certificate and its RSA key; AZURE_CLIENT_CERTIFICATE_PASSWORD holds the "
                      "passphrase"
                    : hint);
}

std::string base64url(std::string_view text) {
    return base64url_encode(as_bytes(text));
}

std::string header_of(const SigningKey& key, bool with_chain) {
    std::string out =
        R"({"alg":"PS256","typ":"JWT","x5t#S256":")" + base64url_encode(sha256(key.chain().front())) + "\"";
    if (with_chain) {
        std::string list;
        for (const Bytes& der : key.chain()) list += (list.empty() ? "\"" : ",\"") + base64_encode(der) + "\"";
        out += ",\"x5c\":[" + list + "]";
    }
    return out + "}";
}

std::int64_t seconds_of(WallTime time) {
    return std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
}

}  // namespace

Prove prove_by_certificate(const TokenLine& line, const Application& application, CertificateOptions options) {
    const std::string audience = application.authority.to_string() + application.token_path();
    return [&clock = line.clock, &random = line.random, audience, client = application.client_id,
            options = std::move(options)](Deadline, const std::stop_token&) -> Result<Proof> {
        const auto key = read_certificate(options);
        if (!key) return fail(key.error());
        const WallTime now = clock.wall();
        if (key->ends() <= now) {
            return fail(ErrorCode::auth,
                        "the certificate in '" + printable(options.file) + "' ended at " + format_iso8601(key->ends()),
                        "register a new certificate on the application");
        }
        const std::string payload = R"({"aud":")" + audience + R"(","iss":")" + client + R"(","sub":")" + client +
                                    R"(","jti":")" + random.uuid() + R"(","nbf":)" + std::to_string(seconds_of(now)) +
                                    R"(,"exp":)" + std::to_string(seconds_of(now + kAssertionLife)) + "}";
        const std::string text = base64url(header_of(*key, options.with_chain)) + "." + base64url(payload);
        return Proof{Proof::Kind::assertion, Secret(text + "." + base64url_encode(key->sign(as_bytes(text))))};
    };
}

}  // namespace azlock::ops
