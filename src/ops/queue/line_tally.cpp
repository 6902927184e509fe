#include "ops/queue/line_tally.hpp"

#include "base/quantity.hpp"
#include "base/text.hpp"

namespace azlock::ops {
namespace {

void add_to(std::string& list, const std::string& item) {
    list += (list.empty() ? "" : ", ") + item;
}

}  // namespace

LineTally::Fate LineTally::fate_of(const Result<std::optional<WrittenTask>>& put) {
    if (put) return Fate::in;
    return put.error().may_have_applied ? Fate::unknown : Fate::not_in;
}

void LineTally::add(std::uint64_t number, const std::string& id, Fate fate) {
    if (fate == Fate::not_begun) return;
    if (first_ == 0) first_ = number;
    last_ = number;
    if (fate == Fate::in) {
        ++in_;
        return;
    }
    add_to(others_, std::to_string(number));
    if (fate == Fate::unknown) add_to(unknown_, std::to_string(number) + " (task " + printable(id) + ")");
}

Error LineTally::told(Error error) const {
    if (in_ == 0 && unknown_.empty()) return error;
    error.message += "; " + format_count(in_, "line is", "lines are") + " in the queue";
    if (in_ > 0) {
        error.message += ": of lines " + std::to_string(first_) + " to " + std::to_string(last_) + " all" +
                         (others_.empty() ? "" : " but " + others_);
    }
    if (!unknown_.empty()) error.message += "; nobody can tell about line " + unknown_;
    add_hint(error,
             "put only the lines that are missing: a repeat would put the others again. Lines that are begun with "
             "--batch NAME are put once each, also by a repeat");
    return error;
}

void add_hint(Error& error, const std::string& hint) {
    error.hint += (error.hint.empty() ? "" : "; ") + hint;
}

}  // namespace azlock::ops
