#include "ops/append/input/batch_buffer.hpp"

#include <algorithm>

#include "base/quantity.hpp"

namespace azlock::ops {
namespace {

// A spool on a full disk refuses every few batches. That is told again only after the spool has taken all for this
// time.
constexpr std::chrono::minutes kTellAgain{10};

}  // namespace

BatchBuffer::BatchBuffer(const BufferOptions& options, std::unique_ptr<Spool> spool, const Clock& clock, Say say)
    : options_(options), spool_(std::move(spool)), clock_(clock), say_(std::move(say)) {
    if (!spool_) return;
    for (const Spool::Place& place : spool_->left()) {
        Entry entry;
        entry.batch.lines = place.lines;
        entry.size = place.size;
        entry.place = place;
        entries_.push_back(std::move(entry));
    }
    replay_to_ = spool_->left_state().sending;
    if (entries_.empty()) return;
    say_("the spool holds " + format_bytes(spool_->bytes()) + " of an earlier run; they are appended first");
}

void BatchBuffer::count_read(std::uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    read_ += bytes;
}

bool BatchBuffer::drop_one() {
    if (entries_.empty()) return false;
    const Entry& oldest = entries_.front();
    dropped_.bytes += oldest.input_bytes;
    dropped_.lines += oldest.batch.lines;
    used_ -= oldest.charged;
    entries_.pop_front();
    return true;
}

bool BatchBuffer::make_room(Lock& lock, std::uint64_t size) {
    while (used_ > 0 && used_ + size > options_.memory) {
        if (abandoned_) return false;
        if (options_.on_full == OnFull::drop_oldest && drop_one()) continue;
        changed_.wait(lock);
    }
    return !abandoned_;
}

// If the spool refuses a batch, later batches wait until that one is in the blob. Else a crash could leave a gap.
bool BatchBuffer::spool_entry(Lock& lock, Entry& entry) {
    while (!abandoned_) {
        const std::uint64_t before = settlings_;
        const bool beside = sending_beside_ || (!entries_.empty() && !entries_.back().place);
        if (!beside) {
            auto place = spool_->append(entry.batch.bytes, entry.batch.lines);
            if (place) {
                entry.place = *place;
                if (used_ + entry.size > options_.memory) entry.batch.bytes = {};
                return true;
            }
            const BootTime now = clock_.now();
            const auto before_this = std::exchange(refused_, now);
            if (!before_this || now - *before_this >= kTellAgain) {
                lock.unlock();
                say_(place.error().message + "; reading the input waits until there is room");
                lock.lock();
                continue;
            }
            if (entries_.empty() && !sending_any_) return true;
        }
        changed_.wait(lock, [&] { return abandoned_ || settlings_ != before; });
    }
    return false;
}

// Joins small waiting batches into one, so that their number is bounded.
bool BatchBuffer::join_last(Entry& entry) {
    if (spool_ || entries_.empty()) return false;
    Entry& last = entries_.back();
    if (last.size + entry.size > options_.pace.batch_size) return false;
    std::vector<std::byte>& bytes = last.batch.bytes;
    bytes.reserve(last.size + entry.size);
    bytes.insert(bytes.end(), entry.batch.bytes.begin(), entry.batch.bytes.end());
    last.batch.lines += entry.batch.lines;
    last.batch.source_end = entry.batch.source_end;
    last.size += entry.size;
    last.charged += entry.size;
    last.input_bytes += entry.input_bytes;
    return true;
}

bool BatchBuffer::push(AppendBatch batch, std::uint64_t input_bytes) {
    Entry entry;
    entry.size = batch.bytes.size();
    entry.batch = std::move(batch);
    entry.input_bytes = input_bytes;
    Lock lock(mutex_);
    if (!(spool_ ? spool_entry(lock, entry) : make_room(lock, entry.size))) return false;
    entry.charged = entry.batch.bytes.size();
    used_ += entry.charged;
    if (!join_last(entry)) entries_.push_back(std::move(entry));
    changed_.notify_all();
    return true;
}

void BatchBuffer::end(std::optional<Error> error) {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    error_ = std::move(error);
    changed_.notify_all();
}

AppendPace BatchBuffer::pace() const {
    const std::lock_guard lock(mutex_);
    return pace_now();
}

AppendPace BatchBuffer::pace_now() const {
    AppendPace pace = options_.pace;
    for (std::uint64_t step = std::min<std::uint64_t>(blocks_ / 10'000, 4); step > 0; --step) {
        pace.batch_size = std::max(options_.pace.batch_size, std::min(pace.batch_size * 2, options_.largest));
        pace.flush_interval *= 4;
    }
    return pace;
}

void BatchBuffer::blocks_in_blob(std::uint64_t count) {
    const std::lock_guard lock(mutex_);
    blocks_ = count;
}

// Batches that an earlier run sent together must be confirmed together.
void BatchBuffer::claim() {
    const std::uint64_t at_most = pace_now().batch_size;
    const auto replayed = [&](const Entry& entry) { return entry.place && entry.place->number <= replay_to_; };
    const bool replaying = replayed(entries_.front());
    std::uint64_t size = 0;
    current_ = {};
    do {
        Entry& entry = entries_.front();
        size += entry.size;
        current_.lines += entry.batch.lines;
        current_.source_end = std::max(current_.source_end, entry.batch.source_end);
        sending_beside_ = !entry.place;
        claimed_.push_back(std::move(entry));
        entries_.pop_front();
    } while (!entries_.empty() && (replaying ? replayed(entries_.front()) : size + entries_.front().size <= at_most));
    sending_any_ = true;
    if (replaying) pending_mark_ = spool_->left_state().mark;
}

Status BatchBuffer::fill() {
    for (Entry& entry : claimed_) {
        std::vector<std::byte> bytes = std::exchange(entry.batch.bytes, {});
        if (bytes.empty()) {
            auto read = spool_->read(*entry.place);
            if (!read) return fail(read.error());
            bytes = std::move(*read);
        }
        if (current_.bytes.empty()) {
            current_.bytes = std::move(bytes);
        } else {
            current_.bytes.insert(current_.bytes.end(), bytes.begin(), bytes.end());
        }
    }
    return {};
}

Result<BatchSource::Next> BatchBuffer::wait(Deadline until) {
    if (!claimed_.empty()) return Next::batch;
    {
        Lock lock(mutex_);
        while (entries_.empty()) {
            if (error_) return fail(*error_);
            if (ended_) return Next::end;
            const BootTime now = clock_.now();
            if (now >= until) return Next::nothing_yet;
            changed_.wait_for(lock, std::min<std::chrono::nanoseconds>(until - now, kWaitSlice));
        }
        claim();
    }
    if (auto ok = fill(); !ok) return fail(ok.error());
    return Next::batch;
}

Status BatchBuffer::sending(const AppendMark& mark) {
    pending_mark_.reset();
    const auto& place = claimed_.back().place;
    return place ? spool_->sending(place->number, mark) : Status();
}

Status BatchBuffer::confirmed() {
    pending_mark_.reset();
    if (const auto& place = claimed_.back().place) {
        if (auto ok = spool_->confirmed(place->number); !ok) return ok;
    }
    current_ = {};
    const std::lock_guard lock(mutex_);
    for (const Entry& entry : claimed_) {
        confirmed_ += entry.input_bytes;
        used_ -= entry.charged;
    }
    claimed_.clear();
    sending_any_ = sending_beside_ = false;
    ++settlings_;
    changed_.notify_all();
    return {};
}

std::uint64_t BatchBuffer::unconfirmed_bytes() const {
    const std::lock_guard lock(mutex_);
    return read_ - confirmed_ - dropped_.bytes;
}

BatchBuffer::Dropped BatchBuffer::dropped() const {
    const std::lock_guard lock(mutex_);
    return dropped_;
}

void BatchBuffer::abandon() {
    const std::lock_guard lock(mutex_);
    abandoned_ = true;
    changed_.notify_all();
}

}  // namespace azlock::ops
