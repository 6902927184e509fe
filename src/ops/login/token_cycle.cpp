#include "ops/login/token_cycle.hpp"

#include <algorithm>
#include <system_error>

#include "base/backoff.hpp"
#include "base/quantity.hpp"
#include "base/system_limit.hpp"
#include "base/wait.hpp"
#include "http/transport_error.hpp"
#include "ops/login/token_answer.hpp"

namespace azlock::ops {
namespace {

using namespace std::chrono_literals;

// A fetch may take this long: a metadata service that is being updated is away for up to 70 s.
constexpr auto kLongestFetch = 100s;
// A token of a longer life is renewed at half of it, another one so long before its end.
constexpr auto kLongLife = 2h;
constexpr auto kRefreshBefore = 5min;
// Between early fetches that fail.
constexpr std::chrono::nanoseconds kShortestPause = 1s;
constexpr std::chrono::nanoseconds kLongestPause = 30s;
// How long requests wait for a new token after a refusal. A refusal may be a stray answer, and a lock must not be lost
// because the login service does not answer while its token has not ended.
constexpr auto kRefusalWait = 3s;

}  // namespace

BootTime refresh_time(const Token& token, Random& random) {
    const auto life = token.ends - token.asked;
    std::chrono::nanoseconds after =
        life > kLongLife ? life / 2 : life - std::min<std::chrono::nanoseconds>(kRefreshBefore, life / 2);
    if (token.refresh) after = std::clamp(*token.refresh - token.asked, 0ns, life);
    return token.asked + jittered(after, 0.8, 1.0, random);
}

std::string describe_fetch(const Result<Token>& fetched, const Clock& clock) {
    if (!fetched) return "got no token: " + fetched.error().message;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(fetched->ends - clock.now());
    return std::string(fetched->from_cache ? "took a token from the cache" : "got a token") + " that ends in " +
           format_duration(left);
}

TokenCycle::TokenCycle(std::unique_ptr<TokenSource> source, Clock& clock, Random& random, Listener listener)
    : source_(std::move(source)), clock_(clock), random_(random), listener_(std::move(listener)) {}

TokenCycle::~TokenCycle() = default;

void TokenCycle::take(Result<Token> fetched) {
    const std::lock_guard lock(mutex_);
    const BootTime now = clock_.now();
    if (fetched) {
        token_ = std::move(*fetched);
        refresh_ = refresh_time(*token_, random_);
        refused_.reset();
        error_.reset();
    } else {
        error_ = std::move(fetched.error());
        if (token_ && now < token_->ends) {
            const auto pause = std::clamp((token_->ends - now) / 8, kShortestPause, kLongestPause);
            refresh_ = now + jittered(pause, 0.5, 1.0, random_);
        } else {
            token_.reset();
        }
    }
    fetching_ = false;
    ++ended_;
    changed_.notify_all();
}

void TokenCycle::fetch(const std::stop_token& stop) {
    Result<Token> fetched = fail(make_error(ErrorCode::internal, "fetching a token threw an exception"));
    try {
        fetched = source_->fetch(clock_.after(kLongestFetch), stop);
        if (fetched && fetched->ends <= clock_.now()) {
            fetched = fail(ErrorCode::auth, "the token of " + source_->describe() + " had ended when it came",
                           "check this machine's clock");
        }
    } catch (const std::exception& thrown) {
        if (auto limit = limit_error(thrown)) fetched = fail(std::move(*limit));
    }
    if (listener_ && !stop.stop_requested()) listener_(fetched);
    take(std::move(fetched));
}

// Called with the mutex held. The last thread is done with it, if there was one.
void TokenCycle::start_fetch() {
    fetching_ = true;
    try {
        thread_ = std::jthread([this](const std::stop_token& stop) { fetch(stop); });
    } catch (const std::system_error& thrown) {
        error_ = limit_error(thrown).value_or(limit_error(SystemLimit::threads));
        fetching_ = false;
        ++ended_;
    }
}

Result<Secret> TokenCycle::token(Deadline deadline, const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    for (std::uint64_t before = ended_;;) {
        const BootTime now = clock_.now();
        const bool alive = token_ && now < token_->ends;
        if (alive && refused_ && ended_ != before && error_ && error_->code == ErrorCode::unavailable) refused_.reset();
        const bool waits = alive && refused_ && now < *refused_;
        const bool usable = alive && !waits;
        if (!usable && ended_ != before && error_) return fail(*error_);
        before = ended_;
        if (!fetching_ && (!usable || now >= refresh_)) start_fetch();
        if (usable) return token_->bearer;
        if (stop.stop_requested()) return fail(stopped_by_signal());
        if (now >= deadline) {
            return fail(http::timeout_error("no token came from " + source_->describe() + " in the time allowed"));
        }
        const Deadline until = waits ? std::min(deadline, *refused_) : deadline;
        (void)changed_.wait_for(lock, stop, wait_slice(until, clock_), [&] { return ended_ != before; });
    }
}

Status TokenCycle::last_for(std::chrono::nanoseconds life, Deadline deadline, const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    const BootTime now = clock_.now();
    const bool would_not_help = token_ && token_->ends - token_->asked < life && now < refresh_;
    if (token_ && (token_->ends - now >= life || would_not_help)) return {};
    const std::uint64_t before = ended_;
    if (!fetching_) start_fetch();
    while (ended_ == before && !stop.stop_requested() && clock_.now() < deadline) {
        (void)changed_.wait_for(lock, stop, wait_slice(deadline, clock_), [&] { return ended_ != before; });
    }
    lock.unlock();
    // Whatever came of it: a token that still lives is better than none.
    return token(deadline, stop).map([](const Secret&) {});
}

std::optional<azure::TokenFacts> TokenCycle::facts() const {
    const std::lock_guard lock(mutex_);
    if (!token_) return std::nullopt;
    const Claims claims = read_claims(token_->bearer.reveal()).value_or(Claims());
    const auto left = std::chrono::duration_cast<WallTime::duration>(token_->ends - clock_.now());
    return azure::TokenFacts{source_->describe(),  claims.tenant,           claims.object_id,
                             claims.subject,       claims.client_id,        claims.user,
                             clock_.wall() + left, source_->last_renewal(), token_->from_cache};
}

void TokenCycle::refused(const Secret& token) {
    const std::lock_guard lock(mutex_);
    if (token_ && !refused_ && token_->bearer.reveal() == token.reveal()) {
        refused_ = clock_.after(kRefusalWait);
        refresh_ = clock_.now();
    }
}

}  // namespace azlock::ops
