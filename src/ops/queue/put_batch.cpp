#include "ops/queue/put_batch.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "azure/metadata.hpp"
#include "azure/refusals.hpp"
#include "base/system_limit.hpp"
#include "base/text.hpp"
#include "base/worker_pool.hpp"

namespace azlock::ops {
namespace {

constexpr std::size_t kParallel = 16;
constexpr int kMaxLooks = 5;
constexpr const char* kWritten = "azl_batch_written";
constexpr const char* kIn = "azl_batch_in";
constexpr const char* kSum = "azl_batch_sum";
constexpr const char* kBatchPriority = "azl_batch_priority";
constexpr const char* kBatchKey = "azl_batch_key";  // of this batch, and no later one of this name
constexpr const char* kWrite = "azl_batch_write";   // identifies a write of the batch's blob

std::string numbered(const std::string& batch, std::uint64_t number) {
    std::array<char, 32> digits{};
    std::snprintf(digits.data(), digits.size(), "-%08llu", static_cast<unsigned long long>(number));
    return batch + digits.data();
}

Sha256Sum sum_with(const Sha256Sum& sum, const std::string& line) {
    Sha256 both;
    both.update(sum);
    both.update(as_bytes(line));
    return both.finish();
}

// Another line with this number, or another batch, has another key.
std::string key_of(const std::string& batch_key, const std::string& id, const std::string& line) {
    return hex_encode(sha256(as_bytes(batch_key + '\n' + id + '\n' + line))).substr(0, 16);
}

bool may_have_changed(const Error& error) {
    return error.may_have_applied || azure::is_condition_not_met(error) || azure::is_missing_blob(error) ||
           azure::is_lease_refusal(error);
}

}  // namespace

Status check_batch_name(const std::string& name) {
    return check_task_id(numbered(name, 1));
}

BatchPut::BatchPut(const Queue& queue, BatchOrder order, const azure::Call& call, const PutReport& report)
    : queue_(queue),
      order_(std::move(order)),
      call_(call),
      report_(report),
      blob_{queue.name.container, queue.name.batches() + order_.name, {}} {}

Status BatchPut::open() {
    azure::PutBlobOptions options;
    options.content.type = "application/octet-stream";
    key_ = new_task_key(queue_.many.random());
    options.metadata = {{kBatchPriority, std::to_string(order_.priority)}, {kBatchKey, key_}};
    options.conditions.if_none_match = "*";
    const auto made = queue_.many.put_blob(blob_, http::make_body({}), options, call_);
    if (made) {
        etag_ = made->etag;
        new_ = true;
        return {};
    }
    const auto head = queue_.many.get_properties(blob_, {}, call_);
    if (!head) return fail(azure::is_missing_blob(head.error()) ? made.error() : head.error());
    const auto text = [&](const char* name) {
        return azure::find_metadata(head->properties.metadata, name).value_or("");
    };
    etag_ = head->properties.etag;
    key_ = text(kBatchKey);
    written_ = parse_u64(text(kWritten)).value_or(0);
    in_ = std::min(parse_u64(text(kIn)).value_or(0), written_);
    sum_before_ = text(kSum);
    if (const auto priority = parse_u64(text(kBatchPriority));
        priority != static_cast<std::uint64_t>(order_.priority)) {
        return fail(ErrorCode::usage, "the batch " + printable(order_.name) + " was begun with another --priority",
                    priority ? "give --priority " + std::to_string(*priority) : "take another name for the batch");
    }
    return {};
}

Status BatchPut::put(const std::vector<std::string>& lines) {
    std::size_t next = 0;
    for (; next < lines.size() && read_ < written_; ++next) {
        if (auto ok = seen_before(lines[next]); !ok) return ok;
    }
    return next < lines.size() ? put_new(lines, next) : Status();
}

Status BatchPut::close() {
    return read_ < written_ ? Status(fail(other_input())) : Status();
}

BatchPut::Line BatchPut::line(std::uint64_t number) const {
    Line out;
    out.id = numbered(order_.name, number);
    return out;
}

// A line that an earlier run has written. The last one of these tells whether all are the same.
Status BatchPut::seen_before(const std::string& text) {
    sum_ = sum_with(sum_, text);
    if (++read_ < written_) return {};
    if (hex_encode(sum_) != sum_before_) return fail(other_input());
    for (std::uint64_t number = 1; number <= in_; ++number) {
        if (auto ok = report_(line(number).id, true); !ok) return ok;
    }
    if (in_ == written_) return {};
    std::vector<Line> rest;
    for (std::uint64_t number = in_ + 1; number <= written_; ++number) {
        rest.push_back(line(number));
        rest.back().existed = true;
    }
    if (auto ok = let_all_count(rest); !ok) return ok;
    return save(written_, written_);
}

Status BatchPut::put_new(const std::vector<std::string>& lines, std::size_t first) {
    std::vector<Line> tasks;
    for (std::size_t i = first; i < lines.size(); ++i) {
        tasks.push_back(line(++read_));
        tasks.back().key = key_of(key_, tasks.back().id, lines[i]);
        sum_ = sum_with(sum_, lines[i]);
    }
    auto written =
        run_parallel(affordable(kParallel), tasks.size(), call_.stop, [&](std::size_t i, std::stop_token stop) {
            return write(tasks[i], lines[first + i], {call_.deadline, std::move(stop)});
        });
    if (!written) return written;
    if (auto ok = save(read_, in_); !ok) return ok;
    if (auto ok = let_all_count(tasks); !ok) return ok;
    return save(read_, read_);
}

// Step 1.
Status BatchPut::write(Line& line, const std::string& text, const azure::Call& call) const {
    NewTask task{line.id, order_.priority, order_.metadata, line.key, order_.due, true};
    const auto put = put_task(queue_, task, http::make_body(text), call);
    if (!put) return fail(put.error());
    if (*put) {
        line.etag = (*put)->etag;
        line.metadata = (*put)->metadata;
        return {};
    }
    line.existed = true;
    const azure::BlobAddress blob = queue_.name.task(order_.priority, line.id);
    const auto head = queue_.many.get_properties(blob, {}, call);
    if (!head) return fail(head.error());
    const auto found = read_task(queue_.name, blob.blob, head->properties);
    if (found && found->key == line.key) return {};
    if (found && found->moving == Moving::arriving && !new_) return fail(other_input());
    return fail(
        ErrorCode::precondition,
        "another task has the id " + printable(line.id) + ", which the batch " + printable(order_.name) + " needs",
        "take another name for the batch, or wait until that task has ended");
}

// Step 3. A task without a mark counts already, and one that is missing counted and is finished.
Status BatchPut::let_count(Line& line, const azure::Call& call) const {
    const azure::BlobAddress blob = queue_.name.task(order_.priority, line.id);
    for (int look = 1;; ++look) {
        if (line.etag.empty()) {
            const auto head = queue_.many.get_properties(blob, {}, call);
            if (!head && azure::is_missing_blob(head.error())) return {};
            if (!head) return fail(head.error());
            const auto found = read_task(queue_.name, blob.blob, head->properties);
            if (!found || found->moving != Moving::arriving) return {};
            line.etag = found->etag;
            line.metadata = found->metadata;
        }
        azure::Conditions as_written;
        as_written.if_match = std::exchange(line.etag, {});
        const auto counts = queue_.many.set_metadata(blob, with_moving(line.metadata, Moving::no), as_written, call);
        if (counts) return {};
        if (!may_have_changed(counts.error()) || look == kMaxLooks) return fail(counts.error());
    }
}

Status BatchPut::let_all_count(std::vector<Line>& lines) {
    std::vector<char> in(lines.size(), 0);
    // A failure lets the others end, so that it is known which lines count.
    auto outcome =
        run_parallel(affordable(kParallel), lines.size(), call_.stop, [&](std::size_t i, const std::stop_token&) {
            auto counts = let_count(lines[i], call_);
            if (counts) in[i] = 1;
            if (counts && order_.progress != nullptr) ++order_.progress->items;
            return counts;
        });
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (in[i] == 0) continue;
        if (auto ok = report_(lines[i].id, lines[i].existed); !ok) return ok;
    }
    return outcome;
}

// Steps 2 and 4.
Status BatchPut::save(std::uint64_t written, std::uint64_t in) {
    const std::string token = new_task_key(queue_.many.random());
    azure::Metadata metadata{{kBatchPriority, std::to_string(order_.priority)},
                             {kWritten, std::to_string(written)},
                             {kIn, std::to_string(in)},
                             {kSum, hex_encode(sum_)},
                             {kBatchKey, key_},
                             {kWrite, token}};
    azure::Conditions as_seen;
    as_seen.if_match = etag_;
    const auto saved = queue_.many.set_metadata(blob_, metadata, as_seen, call_);
    if (saved) {
        etag_ = saved->etag;
    } else {
        if (!may_have_changed(saved.error())) return fail(saved.error());
        const auto head = queue_.many.get_properties(blob_, {}, call_);
        if (!head) return fail(head.error());
        if (head->properties.etag == etag_) return fail(saved.error());
        if (azure::find_metadata(head->properties.metadata, kWrite) != token) {
            return fail(ErrorCode::precondition,
                        "another azlock puts the batch " + printable(order_.name) + " at the same time",
                        "wait until it has ended, then run the command again");
        }
        etag_ = head->properties.etag;
    }
    in_ = in;
    return {};
}

Error BatchPut::other_input() const {
    return make_error(ErrorCode::data, "the batch " + printable(order_.name) + " was begun with other lines",
                      "give the same input, or another name for the batch");
}

}  // namespace azlock::ops
