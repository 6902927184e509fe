#include "ops/upload/stream_blocks.hpp"

#include <algorithm>
#include <condition_variable>
#include <new>

#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/wait.hpp"
#include "ops/upload/block_plan.hpp"

namespace azlock::ops {

constexpr std::uint64_t kBlocksPerStep = 10'000;

std::uint64_t stream_block_size(const StreamPlan& plan, std::uint64_t n) {
    std::uint64_t size = plan.block_size;
    if (!plan.grows) return size;
    for (std::uint64_t step = n / kBlocksPerStep; step > 0 && size * 2 <= std::min(kMaxBlockSize, plan.memory);
         --step) {
        size *= 2;
    }
    return size;
}

// Memory that goes back to the system when it is freed. Large blocks of the allocator often do not.
struct StreamBlocks::Unmap {
    std::size_t size = 0;
    void operator()(std::byte* at) const { ::munmap(at, size); }
};

struct StreamBlocks::Budget {
    std::mutex mutex;
    std::condition_variable_any changed;
    std::uint64_t free = 0;
    std::vector<Pages> spare;  // all of one size
};

// The bytes of one block. Gives its share of the budget back when the last request that uses it is done.
class StreamBlocks::Buffer final : public http::Body {
  public:
    Buffer(std::shared_ptr<Budget> budget, Pages pages) : budget_(std::move(budget)), pages_(std::move(pages)) {}
    ~Buffer() override {
        const std::lock_guard lock(budget_->mutex);
        budget_->free += space().size();
        budget_->spare.push_back(std::move(pages_));
        budget_->changed.notify_all();
    }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;

    [[nodiscard]] std::span<std::byte> space() const { return {pages_.get(), pages_.get_deleter().size}; }
    void use(std::size_t size) { size_ = size; }
    [[nodiscard]] std::uint64_t size() const override { return size_; }
    [[nodiscard]] Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> out) const override {
        const std::size_t from = std::min<std::uint64_t>(size_, offset);
        const auto part = space().subspan(from, std::min<std::size_t>(out.size(), size_ - from));
        std::copy(part.begin(), part.end(), out.begin());
        return part.size();
    }

  private:
    std::shared_ptr<Budget> budget_;
    Pages pages_;
    std::size_t size_ = 0;
};

StreamBlocks::StreamBlocks(int fd, std::string name, const StreamPlan& plan)
    : fd_(fd), name_(std::move(name)), plan_(plan), budget_(std::make_shared<Budget>()) {
    budget_->free = std::max(plan.memory, plan.block_size);
}

Result<std::size_t> StreamBlocks::fill(std::span<std::byte> out, const std::stop_token& stop) {
    std::size_t done = 0;
    if (ahead_ && !out.empty()) {
        out[done++] = *ahead_;
        ahead_.reset();
    }
    const std::size_t seen = done;  // these bytes are in the sums already
    const StopSignal signal(stop);
    while (done < out.size()) {
        if (wait_ready(fd_, POLLIN, kNoDeadline, SystemClock(), signal) == Wake::stopped)
            return fail(stopped_by_signal());
        const ssize_t got = ::read(fd_, &out[done], out.size() - done);
        if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (got < 0) return fail(file_error(ErrorCode::io, "read", name_, errno));
        if (got == 0) {
            at_end_ = true;
            break;
        }
        done += static_cast<std::size_t>(got);
    }
    if (plan_.sha256) sha256_.update(out.first(done).subspan(seen));
    if (plan_.md5) md5_.update(out.first(done).subspan(seen));
    return done;
}

Result<std::optional<SourceBlock>> StreamBlocks::read_block(const std::stop_token& stop) {
    if (at_end_) return std::optional<SourceBlock>();
    const std::uint64_t size = stream_block_size(plan_, index_);
    Pages pages;
    {
        std::unique_lock lock(budget_->mutex);
        if (!budget_->changed.wait(lock, stop, [&] { return budget_->free >= size; })) return fail(stopped_by_signal());
        budget_->free -= size;
        if (!budget_->spare.empty() && budget_->spare.back().get_deleter().size != size) budget_->spare.clear();
        if (!budget_->spare.empty()) {
            pages = std::move(budget_->spare.back());
            budget_->spare.pop_back();
        }
    }
    if (!pages) {
        void* at = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (at == MAP_FAILED) throw std::bad_alloc();
        pages = Pages(static_cast<std::byte*>(at), Unmap{size});
    }
    const auto buffer = std::make_shared<Buffer>(budget_, std::move(pages));
    const auto got = fill(buffer->space(), stop);
    if (!got) return fail(got.error());
    if (*got == 0) return std::optional<SourceBlock>();
    if (index_ == kMaxBlocks) {
        return fail(ErrorCode::usage, name_ + " needs more than 50,000 blocks; a blob holds at most 50,000",
                    "use larger blocks: --block-size SIZE, with --memory of at least twice that");
    }
    buffer->use(*got);
    SourceBlock block{offset_, buffer, PlanTag::make(CutKind::fixed, plan_.hash, size)};
    offset_ += *got;
    ++index_;
    return std::optional(std::move(block));
}

Result<std::optional<SourceBlock>> StreamBlocks::whole(const std::stop_token& stop) {
    auto block = read_block(stop);
    if (!block) return block;
    if (!at_end_) {
        std::byte one{};
        auto got = fill(std::span(&one, 1), stop);
        if (!got) return fail(got.error());
        if (*got == 1) ahead_ = one;
    }
    if (at_end_) {
        if (!*block) *block = SourceBlock{0, http::make_body({}), {}};
        return block;
    }
    first_ = std::move(*block);
    return std::optional<SourceBlock>();
}

Result<std::optional<SourceBlock>> StreamBlocks::next(const std::stop_token& stop) {
    if (first_) return std::exchange(first_, std::nullopt);
    return read_block(stop);
}

}  // namespace azlock::ops
