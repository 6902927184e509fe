#include "cli/program/context.hpp"

#include <algorithm>

#include <unistd.h>

#include "base/secret.hpp"
#include "base/shell_quote.hpp"
#include "cli/output/color.hpp"
#include "cli/program/version.hpp"
#include "cli/settings/read_input.hpp"
#include "cli/settings/transport_settings.hpp"
#include "ops/login/choose.hpp"
#include "ops/login/token_cycle.hpp"
#include "ops/read/listed_blob.hpp"

namespace azlock::cli {
Context::Context(const Surroundings& surroundings, const GlobalFlags& flags, os::SignalStop& signals,
                 std::span<os::Guard> guards, std::vector<std::string> command_line)
    : surroundings_(surroundings),
      flags_(flags),
      signals_(signals),
      guards_(guards),
      command_line_(std::move(command_line)),
      stop_(signals.token()),
      output_({flags.json, flags.quiet, use_color(flags.color, STDERR_FILENO)}),
      wire_(output_, flags.verbose, flags.quiet || flags.json),
      start_(surroundings.clock.now()) {
    if (!guards_.empty()) output_.must_go_on();
    if (flags.timeout && flags.timeout->count() > 0) deadline_ = clock().after(*flags.timeout);
}

Result<Settings> Context::settings() {
    if (!settings_) {
        auto loaded = load_settings(flags_);
        if (!loaded) return loaded;
        settings_ = std::move(*loaded);
        if (settings_->timeout) deadline_ = start_ + *settings_->timeout;
    }
    return *settings_;
}

std::string Context::same_command(const std::vector<std::string>& without) const {
    std::string out = "azlock";
    for (const std::string& word : arguments_) {
        if (std::find(without.begin(), without.end(), word) != without.end()) continue;
        out += " " + shell_word(word);
    }
    return redact(out) == out ? out : "run the same command again";
}

Json Context::costs(BootTime start) {
    const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(clock().now() - start);
    return {{"requests", wire_.requests()},
            {"retries", wire_.retries()},
            {"seconds", static_cast<double>(took.count()) / 1000.0}};
}

void Context::tune(const ops::Tuning& tuning) {
    tuning_ = tuning;
    wire_.forward_to(tuning.observer, tuning.rides_out);
    if (tuning.impatient) output_.must_go_on();
}

std::function<Result<std::string>(const std::string&)> Context::ask() {
    if (!surroundings_.ask) return {};
    return [this](const std::string& question) { return surroundings_.ask(question, stop_); };
}

Result<int> Context::retries() {
    return settings().map([](const Settings& loaded) { return loaded.retries.value_or(ops::kRetries); });
}

http::RetryPolicy Context::retry_policy() const {
    return ops::retry_policy(settings_ ? settings_->retries : std::nullopt, tuning_);
}

Result<Opened> Context::open_listed(const std::string& target, azure::Conditions& conditions) {
    auto opened = open_prefix(target);
    if (!opened) return opened;
    if (auto ok = ops::pin_listed_blob(opened->client(), opened->address, conditions, call()); !ok) {
        return fail(ok.error());
    }
    return opened;
}

Result<Opened> Context::open(const std::string& target, bool single, azure::Names names) {
    return settings()
        .and_then([&](const Settings& loaded) { return access_to(loaded, login(), target, names); })
        .and_then([&](Access access) { return connect(std::move(access), single); });
}

Result<Opened> Context::open_account() {
    return settings()
        .and_then([&](const Settings& loaded) { return access_to_account(loaded, login()); })
        .and_then([&](Access access) { return connect(std::move(access)); });
}

Result<http::Transport*> Context::transport() {
    if (!transport_) {
        auto made = surroundings_.make_transport(transport_options(*settings_));
        if (!made) return fail(made.error());
        transport_ = std::move(*made);
    }
    return transport_.get();
}

Login Context::login() {
    return [this](const azure::Endpoint& endpoint) -> Result<azure::Credential> {
        const std::string authority = ops::authority_for(endpoint);
        auto& tokens = logins_[authority];
        if (!tokens) {
            // The transport is there before the first token is asked for: connect() makes it.
            ops::TokenLimits limits{settings_->try_timeout, {}};
            if (settings_->retries) limits.attempts = *settings_->retries + 1;
            auto source = ops::choose_source({{[this] { return transport(); }, clock(), random(), limits},
                                              [](const char* name) { return environment(name); },
                                              settings_->credential,
                                              authority,
                                              ops::run_tool,
                                              settings_->token_cache,
                                              [this](const std::string& line) { wire_.note(line); }});
            if (!source) return fail(source.error());
            tokens = std::make_shared<ops::TokenCycle>(
                std::move(*source), clock(), random(),
                [this](const Result<ops::Token>& token) { wire_.note(ops::describe_fetch(token, clock())); });
        }
        return azure::Credential::login(tokens);
    };
}

Result<Opened> Context::connect(Access access, bool single) {
    const auto transport = this->transport();
    if (!transport) return fail(transport.error());
    azure::PipelineOptions options;
    options.retry = single ? ops::retry_policy(0, {}) : retry_policy();
    options.try_timeout = settings_->try_timeout.value_or(options.try_timeout);
    const bool limited = settings_->timeout || settings_->try_timeout || settings_->retries;
    ops::limit_patience(tuning_, limited, options);
    options.slowest_rate = tuning_.slowest_rate;
    options.stall_timeout = tuning_.stall_timeout;
    options.api_version = settings_->api_version;
    options.user_agent = "azlock/" + version();
    return Opened{std::make_unique<AccountClient>(**transport, clock(), random(), std::move(access.endpoint),
                                                  std::move(access.credential), std::move(options), &wire_),
                  std::move(access.address)};
}

}  // namespace azlock::cli
