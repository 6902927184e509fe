// The life of a token: fetched when it is needed, renewed before it ends, by one fetch at a time.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "azure/tokens.hpp"
#include "base/random.hpp"
#include "ops/login/token.hpp"

namespace azlock::ops {

// "got a token that ends in 59 min 59 s", or why there is none.
[[nodiscard]] std::string describe_fetch(const Result<Token>& fetched, const Clock& clock);

// When to ask for the next token: random within a fifth, so that processes that were started together do not ask
// together.
[[nodiscard]] BootTime refresh_time(const Token& token, Random& random);

// Thread-safe. A token is fetched on a thread of its own, so that nobody who has a token waits for the next one: a
// failed early fetch is no error while the present token lives. The destructor ends a fetch that is running.
class TokenCycle final : public azure::Tokens {
  public:
    // Called with each new token, and with the error of each fetch that failed, from any thread.
    using Listener = std::function<void(const Result<Token>&)>;

    // Clock, random generator and what the listener uses must outlive this.
    TokenCycle(std::unique_ptr<TokenSource> source, Clock& clock, Random& random, Listener listener = {});
    TokenCycle(const TokenCycle&) = delete;
    TokenCycle& operator=(const TokenCycle&) = delete;
    ~TokenCycle() override;

    [[nodiscard]] Result<Secret> token(Deadline deadline, const std::stop_token& stop) override;
    void refused(const Secret& token) override;
    [[nodiscard]] Status last_for(std::chrono::nanoseconds life, Deadline deadline,
                                  const std::stop_token& stop) override;
    [[nodiscard]] std::optional<azure::TokenFacts> facts() const override;
    [[nodiscard]] std::string describe() const override { return source_->describe(); }

  private:
    void start_fetch();
    void fetch(const std::stop_token& stop);
    void take(Result<Token> fetched);

    std::unique_ptr<TokenSource> source_;
    Clock& clock_;
    Random& random_;
    Listener listener_;
    mutable std::mutex mutex_;
    std::condition_variable_any changed_;
    std::optional<Token> token_;
    BootTime refresh_{};               // of token_
    std::optional<Deadline> refused_;  // the service refused token_: until then requests wait for another one
    std::optional<Error> error_;       // of the last fetch, if it failed
    std::uint64_t ended_ = 0;          // fetches
    bool fetching_ = false;
    std::jthread thread_;
};

}  // namespace azlock::ops
