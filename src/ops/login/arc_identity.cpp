#include "ops/login/arc_identity.hpp"

#include <algorithm>

#include <unistd.h>

#include "azure/url.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "ops/login/token_answer.hpp"

namespace azlock::ops {
namespace {

constexpr const char* kArcTitle = "managed identity (Azure Arc)";
constexpr std::size_t kLongestKey = 4096;

Error arc_error(const std::string& what) {
    return make_error(ErrorCode::auth, std::string(kArcTitle) + ": " + what);
}

Result<Secret> read_key(const std::string& path) {
    const auto file = open_whole_input(path);
    if (!file) {
        Error error = arc_error(file.error().message);
        error.hint = "only root and the group himds may read it: add this user to that group";
        return fail(std::move(error));
    }
    std::string text(kLongestKey + 1, '\0');
    const auto size = read_full(file->get(), std::as_writable_bytes(std::span(text)), path);
    if (!size) return fail(arc_error(size.error().message));
    if (*size > kLongestKey) return fail(arc_error("the key file is larger than 4096 bytes"));
    text.resize(*size);
    std::erase_if(text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
    return Secret(std::move(text));
}

class ArcSource final : public TokenSource {
  public:
    ArcSource(TokenLine line, azure::Url url, std::string folder)
        : line_(std::move(line)), url_(std::move(url)), folder_(std::move(folder)) {}

    [[nodiscard]] Result<Token> fetch(Deadline deadline, const std::stop_token& stop) override {
        const auto challenge = send_token_request(line_, request(), kArcTitle, {}, deadline, stop);
        if (!challenge) return fail(challenge.error());
        if (may_pass(challenge->status, {})) return fail(refusal_of(*challenge, kArcTitle, {}));
        if (challenge->status != 401) {
            return fail(
                arc_error("the agent did not ask for its key (HTTP " + std::to_string(challenge->status) + ")"));
        }
        auto key = arc_key_file(challenge->headers.get("WWW-Authenticate"), folder_).and_then(read_key);
        if (!key) return fail(key.error());
        http::Request proven = request();
        proven.headers.set("Authorization", "Basic " + key->reveal());
        const BootTime sent = line_.clock.now();
        const auto answer = send_token_request(line_, std::move(proven), kArcTitle, {}, deadline, stop);
        if (!answer) return fail(answer.error());
        if (answer->status != 200) return fail(refusal_of(*answer, kArcTitle, {}));
        return read_token(answer->body, {sent, line_.clock.now(), line_.clock.wall(), kArcTitle});
    }

    [[nodiscard]] std::string describe() const override { return kArcTitle; }
    [[nodiscard]] std::string identity() const override {
        return std::string(kArcTitle) + " " + url_.origin.to_string() + url_.path;
    }

  private:
    [[nodiscard]] http::Request request() const {
        http::Request out;
        out.origin = url_.origin;
        out.path = url_.path;
        out.query = {{"api-version", "2020-06-01"}, {"resource", std::string(kStorageResource)}};
        out.headers.set("Metadata", "true");
        return out;
    }

    TokenLine line_;
    azure::Url url_;
    std::string folder_;
};

}  // namespace

bool has_arc_agent() {
    return access("/opt/azcmagent/bin/himds", F_OK) == 0;
}

Result<std::string> arc_key_file(std::string_view challenge, const std::string& folder) {
    constexpr std::string_view kRealm = "Basic realm=";
    const std::size_t at = challenge.find('=');
    if (!challenge.starts_with(kRealm) || challenge.find('=', at + 1) != std::string_view::npos) {
        return fail(arc_error("the agent's challenge names no key file"));
    }
    const std::string path(trim(challenge.substr(kRealm.size())));
    const std::size_t slash = path.rfind('/');
    const std::string name = slash == std::string::npos ? std::string() : path.substr(slash + 1);
    const bool plain =
        std::all_of(name.begin(), name.end(), [](char c) { return is_alnum(c) || c == '-' || c == '.'; });
    if (path.substr(0, slash) != folder || !plain || !name.ends_with(".key") || name.find("..") != std::string::npos) {
        return fail(arc_error("the challenge names a file that is no key of the agent; it was not opened"));
    }
    return path;
}

Result<std::unique_ptr<TokenSource>> make_arc_identity(TokenLine line, const std::string& endpoint,
                                                       const std::string& client_id, std::string folder) {
    if (!client_id.empty()) {
        return fail(ErrorCode::config, "a machine of Azure Arc has one identity, and AZURE_CLIENT_ID names another",
                    "unset AZURE_CLIENT_ID");
    }
    auto url = read_endpoint(endpoint.empty() ? "http://127.0.0.1:40342/metadata/identity/oauth2/token" : endpoint,
                             "IDENTITY_ENDPOINT");
    if (!url) return fail(url.error());
    return std::make_unique<ArcSource>(std::move(line), std::move(*url), std::move(folder));
}

}  // namespace azlock::ops
