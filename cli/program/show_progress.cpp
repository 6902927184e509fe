#include "cli/program/show_progress.hpp"

#include "base/quantity.hpp"
#include "base/text.hpp"

namespace azlock::cli {

std::unique_ptr<ProgressDisplay> show_progress(Context& context, const ops::Progress& progress, ProgressStyle style) {
    return std::make_unique<ProgressDisplay>(style, context.output(), context.clock(), progress,
                                             [&wire = context.wire()] { return wire.retries(); });
}

EntryProgress::EntryProgress(Context& context, const std::string& name, const char* unit)
    : context_(context), start_(context.clock().now()) {
    progress_.name = name;
    progress_.unit = unit;
    display_ = show_progress(context, progress_, progress_style(context.output(), false, Stdout::meanwhile));
}

Status EntryProgress::end(Status status) {
    const bool shown = display_->end();
    if (shown && status) {
        const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(context_.clock().now() - start_);
        context_.output().notice(printable(progress_.name) + ": " + format_count(progress_.items, progress_.unit) +
                                 ", " + format_duration(took));
    }
    return status;
}

}  // namespace azlock::cli
