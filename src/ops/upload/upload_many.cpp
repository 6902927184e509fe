#include "ops/upload/upload_many.hpp"

#include "azure/refusals.hpp"
#include "base/worker_pool.hpp"

namespace azlock::ops {
namespace {

// Large files at once. The second one keeps the line busy while the first one looks or commits.
constexpr std::size_t kLargeAtOnce = 2;
constexpr std::size_t kKeptFailures = 1'000;

bool concerns_all(const Error& error) {
    return error.code == ErrorCode::auth || error.code == ErrorCode::config || error.code == ErrorCode::cancelled ||
           azure::is_missing_container(error);
}

void add_failure(ManyReport& report, std::size_t order, Error error) {
    ++report.failed;
    if (report.failures.size() < kKeptFailures) report.failures.emplace(order, std::move(error));
}

void count(ManyReport& report, std::size_t order, const std::string& path, const Result<UploadReport>& result) {
    if (result) {
        ++(result->existed ? report.existing : result->unchanged ? report.unchanged : report.uploaded);
        report.bytes += result->bytes;
        report.sent += result->sent;
        report.unseen = report.unseen || result->unseen;
        return;
    }
    Error error = result.error();
    if (error.code == ErrorCode::cancelled) return;
    if (error.target != path && error.message.find(path) == std::string::npos) {
        error.message = "'" + path + "': " + error.message;
    }
    add_failure(report, order, std::move(error));
}

Status outcome_of(const ManyReport& report, Status ran) {
    const bool stopped = !ran && ran.error().code == ErrorCode::cancelled;
    if (stopped || report.failed == 0) return ran;
    Error error = report.failures.begin()->second;
    if (report.files > 1) {
        error.message = std::to_string(report.failed) + " of " + std::to_string(report.files) +
                        " files failed, the first because: " + error.message;
    }
    return fail(std::move(error));
}

}  // namespace

ManyReport upload_many(azure::BlobClient& client, const std::string& container, const Selection& selection,
                       const ContentTypes& types, const UploadOptions& options, const Transfer& transfer,
                       const azure::Call& call) {
    const FileList& files = selection.files;
    ManyReport report;
    for (const Error& error : selection.failures) add_failure(report, report.failed, error);
    const std::size_t first = report.failed;
    report.files = first + files.size();
    Progress* progress = transfer.meter.progress;
    if (progress != nullptr) {
        progress->total = files.total_bytes();
        progress->files = files.size();
    }
    std::vector<std::uint32_t> small;
    std::vector<std::uint32_t> large;
    for (std::uint32_t i = 0; i < files.size(); ++i) {
        const std::uint64_t size = files[i].size;
        (size > largest_put(options, size) ? large : small).push_back(i);
    }
    std::mutex mutex;
    const auto upload_one = [&](std::size_t index, std::stop_token stop) -> Status {
        const SelectedFile file = files[index];
        UploadOptions own = options;
        if (own.content.type.empty()) own.content.type = types.of(file.path);
        const azure::BlobAddress blob{container, file.blob, {}};
        std::optional<PartProgress> part;
        if (progress != nullptr) part.emplace(*progress, file.path, file.size);
        const Transfer metered{transfer.concurrency, {part ? &part->counts() : nullptr, transfer.meter.limit}};
        const auto result = upload_file(client, blob, file.path, own, metered, {call.deadline, stop}, file.walked);
        part.reset();
        const std::lock_guard lock(mutex);
        if (progress != nullptr) ++progress->files_done;
        count(report, first + index, file.path, result);
        if (!result && concerns_all(result.error())) return fail(result.error());
        return {};
    };
    const auto run = [&](const std::vector<std::uint32_t>& part, std::size_t at_once, const std::stop_token& stop) {
        return run_parallel(at_once, part.size(), stop,
                            [&](std::size_t i, std::stop_token inner) { return upload_one(part[i], inner); });
    };
    Status ran;
    if (!files.empty()) {
        ran = run_parallel(2, 2, call.stop, [&](std::size_t which, std::stop_token stop) {
            return which == 0 ? run(large, kLargeAtOnce, stop) : run(small, options.concurrency, stop);
        });
    }
    report.not_finished = report.files - report.uploaded - report.unchanged - report.existing - report.failed;
    report.outcome = outcome_of(report, std::move(ran));
    return report;
}

Status selection_outcome(const Selection& selection) {
    const std::size_t failed = selection.failures.size();
    if (failed == 0) return {};
    Error error = selection.failures.front();
    const std::size_t all = failed + selection.files.size();
    if (all > 1) {
        error.message = std::to_string(failed) + " of " + std::to_string(all) +
                        " files would not be uploaded, the first because: " + error.message;
    }
    return fail(std::move(error));
}

}  // namespace azlock::ops
