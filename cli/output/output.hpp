// What goes to stdout (data) and stderr (for people); the text and JSON faces of results and errors.
#pragma once

#include <mutex>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/encoding.hpp"
#include "base/error.hpp"
#include "base/result.hpp"

namespace azlock::cli {

using Json = nlohmann::ordered_json;

struct OutputOptions {
    bool json = false;
    bool quiet = false;
};

// Thread-safe for notices; data is written by the main thread.
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

    // A line on a terminal's stderr that the next one replaces; empty takes it away. Other lines make room for it.
    void status(std::string_view text);
    // One JSON object on stderr, as one line, whatever else is silenced.
    void event(const Json& value) const;

    // The error in the form that was asked for. One line on stderr.
    void error(const Error& error) const;

  private:
    void write_stderr(const std::string& text) const;

    OutputOptions options_;
    mutable std::mutex mutex_;
    mutable bool status_shown_ = false;
};

// "cannot read the blob: it does not exist (Get Blob of c/b, HTTP 404 BlobNotFound, request id ...)"
[[nodiscard]] std::string error_text(const Error& error);
[[nodiscard]] Json error_json(const Error& error);

}  // namespace azlock::cli
