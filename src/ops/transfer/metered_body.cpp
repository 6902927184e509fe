#include "ops/transfer/metered_body.hpp"

#include <algorithm>

namespace azlock::ops {

MeteredBody::MeteredBody(std::shared_ptr<const http::Body> inner, const Meter& meter, azure::Call call)
    : inner_(std::move(inner)), meter_(meter), call_(std::move(call)) {}

Result<std::size_t> MeteredBody::read_at(std::uint64_t offset, std::span<std::byte> out) const {
    if (meter_.limit != nullptr) {
        const std::uint64_t bytes = std::min<std::uint64_t>(out.size(), size() - std::min(size(), offset));
        for (std::uint64_t done = 0; done < bytes; done += kSlice) {
            if (auto ok = meter_.limit->take(std::min<std::uint64_t>(kSlice, bytes - done), call_.deadline, call_.stop);
                !ok) {
                return fail(ok.error());
            }
        }
    }
    auto got = inner_->read_at(offset, out);
    if (got) count(offset + *got);
    return got;
}

void MeteredBody::count(std::uint64_t reached) const {
    const std::uint64_t before = counted_;
    if (meter_.progress == nullptr || finished_ || reached <= before) return;
    counted_ = reached;
    meter_.progress->moving += reached - before;
}

void MeteredBody::finish() const {
    if (!finished_.exchange(true) && meter_.progress != nullptr) meter_.progress->moving -= counted_;
}

}  // namespace azlock::ops
