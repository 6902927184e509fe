#include "ops/login/cached_source.hpp"

#include "base/digest.hpp"
#include "base/encoding.hpp"
#include "ops/login/token_cycle.hpp"
#include "ops/login/token_folder.hpp"

namespace azlock::ops {
namespace {

using namespace std::chrono_literals;

// Another azlock that asks for the token is waited for, but not for ever: it may be stopped.
constexpr auto kLongestWait = 15s;
constexpr auto kBetweenLooks = 50ms;
constexpr auto kLongestKept = std::chrono::days(366);

class CachedSource final : public TokenSource {
  public:
    CachedSource(std::unique_ptr<TokenSource> source, TokenFolder folder, TokenCacheOptions options)
        : source_(std::move(source)), folder_(std::move(folder)), options_(std::move(options)) {
        const std::string whose = source_->identity() + "\n" + std::string(kStorageScope);
        name_ = "token-" + hex_encode(sha256(as_bytes(whose))).substr(0, 32);
    }

    [[nodiscard]] Result<Token> fetch(Deadline deadline, const std::stop_token& stop) override {
        Clock& clock = options_.clock;
        const Deadline patient_until = std::min(deadline, clock.after(kLongestWait));
        for (;;) {
            const auto lock = folder_.try_lock(name_);
            auto kept = look();
            const bool fresh = kept && clock.now() < refresh_time(*kept, options_.random);
            if (kept && (fresh || !lock)) return give(std::move(*kept));
            if (lock || clock.now() >= patient_until) return renew(std::move(kept), deadline, stop);
            if (!clock.wait_until(clock.after(kBetweenLooks), stop)) return fail(stopped_by_signal());
        }
    }

    [[nodiscard]] std::string describe() const override { return source_->describe(); }
    [[nodiscard]] std::string identity() const override { return source_->identity(); }
    [[nodiscard]] std::optional<WallTime> last_renewal() const override { return source_->last_renewal(); }

  private:
    // A token of the cache that lives. Error: why there is none; not_found if there is nothing to say about it.
    [[nodiscard]] Result<Token> look() const {
        auto kept = folder_.read(name_);
        if (!kept) return fail(kept.error());
        // What this process has had and still asks for a token was refused, or is too old for it.
        if (!*kept || (*kept)->bearer.reveal() == given_.reveal()) return fail(ErrorCode::not_found, {});
        const KeptToken& found = **kept;
        const WallTime wall = options_.clock.wall();
        const BootTime now = options_.clock.now();
        if (found.ends <= wall) return fail(ErrorCode::data, "the token in the cache has ended");
        if (found.asked > wall || found.ends - found.asked > kLongestKept) {
            return fail(ErrorCode::data, "the token in the cache has times that cannot be");
        }
        Token out{found.bearer, now - (wall - found.asked), now + (found.ends - wall), {}, true};
        if (found.refresh) out.refresh = now + (*found.refresh - wall);
        return out;
    }

    [[nodiscard]] Result<Token> give(Token token) {
        given_ = token.bearer;
        return token;
    }

    [[nodiscard]] Result<Token> renew(Result<Token> kept, Deadline deadline, const std::stop_token& stop) {
        if (!kept && kept.error().code != ErrorCode::not_found) note(kept.error());
        auto fetched = source_->fetch(deadline, stop);
        if (!fetched) {
            const bool alive = kept && options_.clock.now() < kept->ends;
            if (!alive || fetched.error().code == ErrorCode::cancelled) return fetched;
            return give(std::move(*kept));
        }
        const auto wall_of = [&, wall = options_.clock.wall(), now = options_.clock.now()](BootTime time) {
            return wall + std::chrono::duration_cast<WallTime::duration>(time - now);
        };
        KeptToken keep{fetched->bearer, wall_of(fetched->asked), wall_of(fetched->ends), {}};
        if (fetched->refresh) keep.refresh = wall_of(*fetched->refresh);
        if (const auto written = folder_.write(name_, keep); !written) note(written.error());
        return give(std::move(*fetched));
    }

    void note(const Error& why) const {
        if (options_.note) options_.note("token cache: " + why.message);
    }

    std::unique_ptr<TokenSource> source_;
    TokenFolder folder_;
    TokenCacheOptions options_;
    std::string name_;
    Secret given_;
};

}  // namespace

Result<std::unique_ptr<TokenSource>> make_cached_source(std::unique_ptr<TokenSource> source,
                                                        TokenCacheOptions options) {
    auto folder = TokenFolder::open(options.runtime);
    if (!folder) return fail(folder.error());
    return std::make_unique<CachedSource>(std::move(source), std::move(*folder), std::move(options));
}

}  // namespace azlock::ops
