#include "cli/flags/watch_flag.hpp"

#include "base/http_date.hpp"
#include "base/quantity.hpp"
#include "cli/output/live_screen.hpp"

namespace azlock::cli {
namespace {

// The parser's value for a flag without '='.
constexpr const char* kNoDuration = "true";

}  // namespace

Option* add_watch_flag(Parser& command, std::string& every) {
    return command.add_flag("--watch", every, "Look again every DUR (default 2s), and show each change, until stopped")
        ->type_name("DUR");
}

Status show_live(Context& context, const std::string& every, const LookAt& look) {
    ops::LiveView view;
    if (every != kNoDuration) {
        const auto span = parse_duration(every);
        if (!span) return fail(ErrorCode::usage, "--watch: " + span.error().message, span.error().hint);
        view.every = *span;
    }
    Output& output = context.output();
    const Screen screen = output.json() ? Screen{} : stdout_screen(context.color());
    LiveScreen live(output, screen);
    view.each_look = screen.redraws;
    view.look = [&] { return look(screen); };
    view.show = [&](const ops::Sight& sight) {
        if (output.json()) return output.line(sight.text);
        return live.show(screen.redraws ? sight.text : format_iso8601(context.clock().wall()) + "\n" + sight.text);
    };
    view.blind = [&](const Error& error) { live.add("cannot look at present: " + error.message); };
    return ops::watch_view(context.clock(), view, context.call());
}

}  // namespace azlock::cli
