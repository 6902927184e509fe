// Observes the pipeline: counts requests, and logs them to stderr with -v and -vv.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>

#include "azure/pipeline.hpp"

namespace spdlog {
class logger;
}

namespace azlock::cli {

class Output;

// 0: warnings only (an outage that lasts), 1: each refusal and retry, 2: each request and answer with its headers.
class WireLog final : public azure::Observer {
  public:
    // `quiet` silences the warnings too. `output` must outlive this.
    WireLog(const Output& output, int verbosity, bool quiet);
    ~WireLog() override;

    void sending(const azure::Operation& op, int attempt) override;
    void answered(const azure::Operation& op, const http::Response& answer, std::chrono::nanoseconds took) override;
    void failed(const azure::Operation& op, const Error& error) override;
    void retrying(const azure::Operation& op, const Error& why, std::chrono::milliseconds wait) override;
    void signature_refused(const std::string& ours, const std::string& theirs) override;

    // The command ends with this error, which is printed: a refusal that it repeats is not logged, too.
    void ends_with(const Error& error);

    // With -v: what else happens on the way, in one line.
    void note(const std::string& line);

    // `other` gets every answer, failure and retry, too; null: nobody. `tells_outages`: it tells the user of an outage
    // that lasts, so this log does not. Do not call it while requests are running.
    void forward_to(azure::Observer* other, bool tells_outages = false) {
        other_ = other;
        other_tells_outages_ = tells_outages;
    }

    [[nodiscard]] std::uint64_t requests() const { return requests_; }
    [[nodiscard]] std::uint64_t retries() const { return retries_; }
    // True if a write was carried out, or may have been: its answer was lost.
    [[nodiscard]] bool changed() const { return changed_; }

  private:
    void log_refusal();

    std::shared_ptr<spdlog::logger> log_;
    azure::Observer* other_ = nullptr;
    bool other_tells_outages_ = false;
    std::atomic<std::uint64_t> requests_{0};
    std::atomic<std::uint64_t> retries_{0};
    std::atomic<bool> changed_{false};
    // A refusal is logged with what follows it, because a retry and the end of the command repeat its text.
    std::mutex mutex_;
    std::optional<Error> refusal_;
};

}  // namespace azlock::cli
