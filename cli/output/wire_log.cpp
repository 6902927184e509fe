#include "cli/output/wire_log.hpp"

#include <mutex>
#include <utility>

#include <spdlog/logger.h>
#include <spdlog/sinks/base_sink.h>

#include "base/error_text.hpp"
#include "base/quantity.hpp"
#include "base/secret.hpp"
#include "base/text.hpp"
#include "cli/output/output.hpp"

namespace azlock::cli {
namespace {

std::string header_lines(const http::Headers& headers) {
    std::string out;
    for (const auto& [name, value] : headers) {
        const bool secret = iequals(name, "Authorization");
        out += "\n    " + name + ": " + (secret ? "REDACTED" : redact(printable(value)));
    }
    return out;
}

std::string visible(const std::string& string_to_sign) {
    std::string out;
    for (const std::string_view line : split(string_to_sign, '\n')) out += "\n    |" + printable(line) + "|";
    return out;
}

class OutputSink final : public spdlog::sinks::base_sink<std::mutex> {
  public:
    explicit OutputSink(const Output& output) : output_(output) {}

  private:
    void sink_it_(const spdlog::details::log_msg& message) override {
        spdlog::memory_buf_t text;
        formatter_->format(message, text);
        output_.log(std::string(text.data(), text.size()));
    }
    void flush_() override {}

    const Output& output_;
};

}  // namespace

WireLog::WireLog(const Output& output, int verbosity, bool quiet)
    : log_(std::make_shared<spdlog::logger>("azlock", std::make_shared<OutputSink>(output))) {
    log_->set_pattern("azlock: %H:%M:%S.%e %v");
    log_->set_level(verbosity >= 2   ? spdlog::level::debug
                    : verbosity == 1 ? spdlog::level::info
                    : quiet          ? spdlog::level::off
                                     : spdlog::level::warn);
}

WireLog::~WireLog() {
    log_refusal();
}

void WireLog::log_refusal() {
    const std::lock_guard lock(mutex_);
    if (const auto refusal = std::exchange(refusal_, std::nullopt)) log_->info("{}", error_text(*refusal));
}

void WireLog::ends_with(const Error& error) {
    {
        const std::lock_guard lock(mutex_);
        if (refusal_ && error.operation == refusal_->operation && error.message.starts_with(refusal_->message)) {
            refusal_.reset();
        }
    }
    log_refusal();
}

void WireLog::sending(const azure::Operation& op, int attempt) {
    ++requests_;
    if (attempt > 1) ++retries_;
    log_refusal();
    if (!log_->should_log(spdlog::level::debug)) return;
    log_->debug("> {} (attempt {}): {} {}{}, {} bytes{}", op.name, attempt, http::to_string(op.request.method),
                op.request.origin.to_string(), op.request.loggable_target(), op.request.content_length(),
                header_lines(op.request.headers));
}

void WireLog::answered(const azure::Operation& op, const http::Response& answer, std::chrono::nanoseconds took) {
    if (other_ != nullptr) other_->answered(op, answer, took);
    if (answer.status == op.expected && azure::is_write(op)) changed_ = true;
    if (!log_->should_log(spdlog::level::debug)) return;
    log_->debug("< {}: HTTP {} in {}{}", op.name, answer.status,
                format_duration(std::chrono::duration_cast<std::chrono::milliseconds>(took)),
                header_lines(answer.headers));
}

void WireLog::failed(const azure::Operation& op, const Error& error) {
    if (error.may_have_applied) changed_ = true;
    if (other_ != nullptr) other_->failed(op, error);
    log_refusal();
    if (!log_->should_log(spdlog::level::info)) return;
    const std::lock_guard lock(mutex_);
    refusal_ = error;
}

void WireLog::retrying(const azure::Operation& op, const Error& why, std::chrono::milliseconds wait) {
    if (other_ != nullptr) other_->retrying(op, why, wait);
    {
        const std::lock_guard lock(mutex_);
        refusal_.reset();
    }
    // A short wait is only logged with -v; a longer one may be an outage.
    const bool outage = wait >= std::chrono::seconds(4) && !other_tells_outages_;
    const auto level = outage ? spdlog::level::warn : spdlog::level::info;
    if (log_->should_log(level)) {
        log_->log(level, "trying {} again in {}: {}", op.name, format_duration(wait), error_text(why));
    }
}

void WireLog::note(const std::string& line) {
    log_refusal();
    log_->info("{}", redact(printable(line)));
}

void WireLog::signature_refused(const std::string& ours, const std::string& theirs) {
    if (!log_->should_log(spdlog::level::info)) return;
    const bool same = theirs.find(ours) != std::string::npos;
    log_->info("the service signed a different text than azlock did{}\n  ours:{}\n  the service's:{}",
               same ? " (or the same text with another key)" : "", visible(ours), visible(theirs));
}

}  // namespace azlock::cli
