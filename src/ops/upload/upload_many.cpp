#include "ops/upload/upload_many.hpp"

#include <mutex>

#include "azure/refusals.hpp"
#include "base/worker_pool.hpp"

namespace azlock::ops {
namespace {

// Large files at once. The second one keeps the line busy while the first one looks or commits.
constexpr std::size_t kLargeAtOnce = 2;

bool concerns_all(const Error& error) {
    return error.code == ErrorCode::auth || error.code == ErrorCode::config || error.code == ErrorCode::cancelled ||
           azure::is_missing_container(error);
}

}  // namespace

Status upload_many(azure::BlobClient& client, const std::string& container, std::size_t count,
                   const std::function<UploadJob(std::size_t)>& job, const UploadOptions& options,
                   const Transfer& transfer, const JobDone& done, const azure::Call& call) {
    std::vector<std::uint32_t> small;
    std::vector<std::uint32_t> large;
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::uint64_t size = job(i).size;
        (size > largest_put(options, size) ? large : small).push_back(i);
    }
    std::mutex mutex;
    const auto upload_one = [&](std::size_t index, std::stop_token stop) -> Status {
        const UploadJob one = job(index);
        UploadOptions own = options;
        if (own.content.type.empty()) own.content.type = one.content_type;
        const azure::BlobAddress blob{container, one.blob, {}};
        const auto result = upload_file(client, blob, one.path, own, transfer, {call.deadline, stop});
        const std::lock_guard lock(mutex);
        done(index, one, result);
        if (!result && concerns_all(result.error())) return fail(result.error());
        return {};
    };
    const auto run = [&](const std::vector<std::uint32_t>& files, std::size_t at_once, const std::stop_token& stop) {
        return run_parallel(at_once, files.size(), stop,
                            [&](std::size_t i, std::stop_token inner) { return upload_one(files[i], inner); });
    };
    return run_parallel(2, 2, call.stop, [&](std::size_t which, std::stop_token stop) {
        return which == 0 ? run(large, kLargeAtOnce, stop) : run(small, options.concurrency, stop);
    });
}

}  // namespace azlock::ops
