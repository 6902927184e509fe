// Downloads of a blob in ranges of 1,000 bytes.
#pragma once

#include <string>

#include "ops/read/download.hpp"
#include "unit/rig.hpp"

namespace azlock::test {

inline constexpr std::uint64_t kRange = 1000;
inline const std::string kContent = noise(3 * kRange + 17);

// Keeps what it gets.
struct KeptTarget final : ops::DownloadTarget {
    Status write(ByteView data) override {
        if (bytes.size() >= full_at) return fail(ErrorCode::io, "disk full");
        bytes.append(reinterpret_cast<const char*>(data.data()), data.size());
        return {};
    }
    bool restart() override {
        ++restarts;
        if (can_restart) bytes.clear();
        return can_restart;
    }
    std::string bytes;
    int restarts = 0;
    bool can_restart = true;
    std::size_t full_at = std::string::npos;
};

// A blob "box/data" and a download of it.
struct DownloadRig {
    explicit DownloadRig(std::string content = kContent) { rig.service.put("box", "data", std::move(content)); }

    Result<ops::DownloadReport> run(const azure::Call& call = {}) {
        return ops::download_blob(rig.us.client(), rig.blob, target, options, call);
    }
    static ops::DownloadOptions ranges() {
        ops::DownloadOptions options;
        options.range_size = kRange;
        options.concurrency = 1;
        return options;
    }

    Rig rig;
    KeptTarget target;
    ops::DownloadOptions options = ranges();
};

}  // namespace azlock::test
