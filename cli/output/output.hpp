// What goes to stdout (data) and to stderr (for people); results and errors as text and as JSON.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/encoding.hpp"
#include "base/error.hpp"
#include "base/result.hpp"
#include "cli/output/json.hpp"

namespace azlock::cli {

struct OutputOptions {
    bool json = false;
    bool quiet = false;
    bool color = false;  // of errors and notices
};

// stderr: thread-safe. stdout: only the main thread writes data.
class Output {
  public:
    explicit Output(OutputOptions options) : options_(options) {}

    [[nodiscard]] bool json() const { return options_.json; }
    [[nodiscard]] bool quiet() const { return options_.quiet; }
    [[nodiscard]] bool color() const { return options_.color; }

    // For a command that keeps or awaits something: a message that nobody reads for two seconds is dropped, and so are
    // the next ones until one can be written, which says how many were dropped. Without this call a message waits for
    // its reader.
    void must_go_on() { must_go_on_ = true; }

    // Whether stdout can be written at all: it is open, and no full device. For a check before a change is made. Error:
    // io.
    [[nodiscard]] Status ready() const;

    // Data on stdout. Errors: io.
    [[nodiscard]] Status line(std::string_view text);
    [[nodiscard]] Status object(const Json& value);  // one line
    // The ETag that a write made, as a line. Error: io; unavailable if it is not known (empty).
    [[nodiscard]] Status etag(const std::string& etag);
    [[nodiscard]] Status bytes(ByteView data);

    // One line on stderr, silenced by --quiet and by --json.
    void notice(std::string_view text) const;

    // Whole lines on stderr, as they are.
    void log(const std::string& lines) const { write_stderr(lines); }

    // Lines on a terminal's stderr, which are narrower than the terminal. The next ones replace them; none clears them.
    // Other output on stderr clears them first.
    void status(const std::vector<std::string>& lines);
    // One JSON object on stderr, as one line, even with --quiet. If a command of the user was started, which may have
    // left its line there unfinished, that line gets its end first.
    void event(const Json& value) const;

    // The error as one line on stderr: as text or, with --json, as JSON.
    void error(const Error& error) const;

    // The result that a line(), object() or etag() could not print; empty if it is not known. Nullopt: all was printed.
    [[nodiscard]] const std::optional<std::string>& untold() const { return untold_; }
    // The same as error(), for `error` after a change that is made: says so, and gives the untold result.
    void error_after_change(const Error& error) const;

  private:
    void write_stderr(const std::string& text) const;
    void write_json(const Json& value) const;
    void put(const std::string& text) const;
    void put_or_drop(const std::string& text) const;

    OutputOptions options_;
    mutable std::mutex mutex_;
    mutable bool status_shown_ = false;
    bool must_go_on_ = false;
    mutable int dropped_ = 0;       // messages, since the last one that was written
    mutable bool cut_off_ = false;  // the last byte that was written ended no line
    std::optional<std::string> untold_;
};

[[nodiscard]] Json error_json(const Error& error);

}  // namespace azlock::cli
