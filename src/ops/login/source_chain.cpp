#include "ops/login/source_chain.hpp"

#include <atomic>

#include "http/retry.hpp"

namespace azlock::ops {
namespace {

class SourceChain final : public TokenSource {
  public:
    SourceChain(std::vector<std::unique_ptr<TokenSource>> sources, std::vector<std::string> reasons)
        : sources_(std::move(sources)), reasons_(std::move(reasons)) {}

    [[nodiscard]] Result<Token> fetch(Deadline deadline, const std::stop_token& stop) override {
        if (TokenSource* chosen = chosen_) return chosen->fetch(deadline, stop);
        std::vector<std::string> reasons = reasons_;
        for (const auto& source : sources_) {
            auto token = source->fetch(deadline, stop);
            if (token) {
                chosen_ = source.get();
                return token;
            }
            const Error& error = token.error();
            const bool final = error.code == ErrorCode::cancelled || error.code == ErrorCode::config;
            if (final || http::is_transient(error)) return token;
            reasons.push_back(error.message);
        }
        return fail(no_credential(reasons));
    }

    [[nodiscard]] std::string describe() const override {
        if (const TokenSource* chosen = chosen_) return chosen->describe();
        std::string out;
        for (const auto& source : sources_) out += (out.empty() ? "" : " or ") + source->describe();
        return out;
    }

  private:
    std::vector<std::unique_ptr<TokenSource>> sources_;
    std::vector<std::string> reasons_;
    std::atomic<TokenSource*> chosen_{nullptr};  // set by one thread while others look
};

}  // namespace

std::unique_ptr<TokenSource> make_source_chain(std::vector<std::unique_ptr<TokenSource>> sources,
                                               std::vector<std::string> reasons) {
    return std::make_unique<SourceChain>(std::move(sources), std::move(reasons));
}

Error no_credential(const std::vector<std::string>& reasons) {
    std::string message = "there is no credential: no account key, SAS or connection string is set";
    for (const std::string& reason : reasons) message += "; " + reason;
    return make_error(ErrorCode::auth, std::move(message),
                      "set one of them, or --auth-mode anonymous for a container that everybody may read");
}

}  // namespace azlock::ops
