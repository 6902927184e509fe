// What goes to stdout (data) and to stderr (for people); results and errors as text and as JSON.
#pragma once

#include <mutex>
#include <string>
#include <string_view>

#include "base/encoding.hpp"
#include "base/error.hpp"
#include "base/error_text.hpp"
#include "base/result.hpp"
#include "cli/output/json.hpp"

namespace azlock::cli {

struct OutputOptions {
    bool json = false;
    bool quiet = false;
};

// stderr: thread-safe. stdout: only the main thread writes data.
class Output {
  public:
    explicit Output(OutputOptions options) : options_(options) {}

    [[nodiscard]] bool json() const { return options_.json; }
    [[nodiscard]] bool quiet() const { return options_.quiet; }

    // Data on stdout. Errors: io.
    [[nodiscard]] Status line(std::string_view text);
    [[nodiscard]] Status object(const Json& value);  // one line
    [[nodiscard]] Status bytes(ByteView data);

    // One line on stderr, silenced by --quiet and by --json.
    void notice(std::string_view text) const;

    // A status line on a terminal's stderr. The next one replaces it; an empty one clears it. Other output clears it
    // first.
    void status(std::string_view text);
    // One JSON object on stderr, as one line, even with --quiet.
    void event(const Json& value) const;

    // The error as one line on stderr: as text or, with --json, as JSON.
    void error(const Error& error) const;

  private:
    void write_stderr(const std::string& text) const;

    OutputOptions options_;
    mutable std::mutex mutex_;
    mutable bool status_shown_ = false;
};

[[nodiscard]] Json error_json(const Error& error);

}  // namespace azlock::cli
