#include "cli/commands/append/append_input_flags.hpp"

#include "cli/flags/flags.hpp"

namespace azlock::cli {

void add_append_input_flags(Parser& command, ops::AppendInputRequest& request) {
    const auto input = [](Option* option) { option->group("Input"); };
    input(command.add_flag("--follow", request.follow,
                           "At the end of FILE wait for more, also after a log rotation, until a signal comes"));
    input(command.add_option("--follow-from", request.follow_from, "Where to begin in the first file (default start)")
              ->type_name("start|end")
              ->choices({"start", "end"}));
    input(command.add_flag("--tee", request.tee, "Copy the input to standard output, too"));

    const auto lines = [](Option* option) { option->group("Lines"); };
    lines(command.add_flag("--lines", request.cut.lines, "Never split a line across two blocks"));
    lines(command.add_flag(std::string("--timestamp{") + ops::kRfc3339 + "}", request.timestamp,
                           "Put the time (UTC) before each line; --timestamp=FORMAT as for strftime(3)"));
    lines(command.add_option("--prefix", request.prefix, "Put this before each line")->type_name("TEXT"));
    lines(command.add_flag("--complete-last-line", request.cut.complete_last,
                           "Add a newline if the last line of the input has none"));

    const auto batches = [](Option* option) { option->group("Batches and buffer"); };
    batches(add_size(command, "--batch-size", request.batch_size, "Send as soon as this much was read (default 1MiB)"));
    batches(add_duration(command, "--flush-interval", request.flush_interval,
                         "Send what was read after this time at the latest (default 1s)"));
    batches(add_size(command, "--buffer", request.buffer, "Memory for what is not sent yet (default 16MiB)"));
    batches(command
                .add_option("--on-full", request.on_full,
                            "When the buffer is full: stop reading (block, the default), keep input on disk (spool), "
                            "or drop the oldest input")
                ->type_name("block|spool|drop-oldest")
                ->choices({"block", "spool", "drop-oldest"}));
    batches(command.add_option("--spool-dir", request.spool_dir, "Folder for --on-full spool")->type_name("DIR"));
    batches(add_size(command, "--spool-max", request.spool_max, "Largest size of the spool on disk (default 1GiB)"));
}

}  // namespace azlock::cli
