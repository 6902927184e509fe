#include "ops/queue/scan.hpp"

#include <algorithm>
#include <utility>

#include "base/http_date.hpp"

namespace azlock::ops {
namespace {

// A task is chosen at random from this many of the next tasks, for each task that others run or claimed first.
constexpr std::size_t kSpread = 64;

// What a task is left out by.
std::string version_of(const QueueTask& task) {
    return task.blob.blob + '\n' + task.etag + '\n' + task.tier;
}

}  // namespace

Result<std::optional<QueueTask>> QueueScanner::next(const azure::Call& call) {
    const std::lock_guard lock(mutex_);
    // Each task that is gone costs a request, and a task that came after the listing may be more urgent.
    if (misses_ > 1 + hits_ / 8 || client_.clock().now() > listed_ + kPageLife) {
        ready_.clear();
        marker_.clear();
        handed_out_ = true;
    }
    while (ready_.empty()) {
        if (marker_.empty() && !handed_out_ && listed_ != BootTime{}) {
            listed_ = {};  // the next listing begins at the first page
            if (std::exchange(skipped_, false)) {
                front_ = {};  // by now it may hold a ready task
                continue;
            }
            rest_ = so_far_;
            return std::optional<QueueTask>();
        }
        if (auto ok = list(call); !ok) return fail(ok.error());
    }
    handed_out_ = true;
    return std::optional(pick());
}

Status QueueScanner::list(const azure::Call& call) {
    const BootTime begun = client_.clock().now();
    const bool first = marker_.empty();
    const bool skip = first && !front_.marker.empty() && begun < front_.until;
    azure::ListOptions options;
    options.prefix = queue_.tasks();
    options.marker = skip ? front_.marker : marker_;
    options.max_results = page_size_;
    options.include = "metadata";
    const auto page = client_.list_blobs(queue_.container, options, call);
    if (!page) return fail(page.error());
    const BootTime now = client_.clock().now();
    const WallTime date = parse_http_date(page->date).value_or(client_.clock().wall());
    if (first) {
        hits_ = misses_ = 0;
        handed_out_ = false;
        if (!skip) front_ = {{}, begun, {}, {}};
        so_far_ = front_.shows;
        skipped_ = skip;
        in_front_ = true;
    }
    std::size_t running = 0;
    for (const azure::ListedBlob& blob : page->blobs) {
        auto task = read_task(queue_, blob.name, blob.properties);
        if (!task || task->moving == Moving::arriving) continue;
        switch (state_of(*task, date)) {
            case TaskState::ready:
            case TaskState::archived:  // it may have another tier by now; the worker tells of a refusal
                if (!left_out_.contains(version_of(*task))) ready_.push_back(std::move(*task));
                break;
            case TaskState::running: ++running; break;
            case TaskState::delayed:
                so_far_.due = std::min(so_far_.due, now + (*task->due - date));
                ++(task->pausing() ? so_far_.pausing : so_far_.delayed);
                break;
            case TaskState::dead: break;
        }
    }
    so_far_.running += running - std::min(running, ours_);
    marker_ = page->next_marker;
    if (in_front_) pass_front(now);
    return {};
}

// A page came, and none before it had a ready task.
void QueueScanner::pass_front(BootTime now) {
    listed_ = now;
    in_front_ = ready_.empty();
    if (!in_front_ || marker_.empty()) return;
    front_.marker = marker_;
    front_.shows = so_far_;
    if (!skipped_)
        front_.until = now + std::max<std::chrono::nanoseconds>(kPageLife, kFrontLife * (now - front_.begun));
}

QueueTask QueueScanner::pick() {
    const auto end = std::find_if(ready_.begin(), ready_.end(),
                                  [&](const QueueTask& task) { return task.priority != ready_.front().priority; });
    const auto equal = static_cast<std::size_t>(end - ready_.begin());
    const std::size_t window = std::clamp(kSpread * (so_far_.running + misses_), std::size_t{1}, equal);
    const auto chosen = ready_.begin() + static_cast<std::ptrdiff_t>(client_.random().next() % window);
    QueueTask out = std::move(*chosen);
    ready_.erase(chosen);
    return out;
}

void QueueScanner::took() {
    const std::lock_guard lock(mutex_);
    ++hits_;
    ++ours_;
}

void QueueScanner::missed() {
    const std::lock_guard lock(mutex_);
    ++misses_;
}

void QueueScanner::ended() {
    const std::lock_guard lock(mutex_);
    --ours_;
}

void QueueScanner::leave_out(const QueueTask& task) {
    const std::lock_guard lock(mutex_);
    left_out_.insert(version_of(task));
}

QueueScanner::Rest QueueScanner::rest() const {
    const std::lock_guard lock(mutex_);
    return rest_;
}

}  // namespace azlock::ops
