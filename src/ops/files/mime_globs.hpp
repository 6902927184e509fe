// Maps file names to content types by the rules of one database.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace azlock::ops {

class MimeGlobs {
  public:
    // Lines "weight:type:glob[:flags]" of shared-mime-info. A glob counts if it is a whole name or "*." and an end. The
    // flag "cs" makes upper and lower case differ. Add the most preferred file first: of two equal rules the first one
    // counts (a file is sorted by weight), and "__NOGLOBS__" keeps later files from adding globs for its type. Invalid
    // lines are ignored.
    void add_globs2(std::string_view text);
    // Lines "type extension..." as in /etc/mime.types.
    void add_mime_types(std::string_view text);

    // The type of a file with this name. A rule that is exactly this name comes first, then the longest end. The name
    // is tried as it is written, then in lower case.
    [[nodiscard]] std::optional<std::string> find(std::string_view name) const;

  private:
    using Rules = std::unordered_map<std::string, std::string>;
    void add(std::string_view type, const std::string& pattern, bool case_sensitive);
    [[nodiscard]] static std::optional<std::string> find(const Rules& rules, const std::string& name);

    std::unordered_set<std::string> closed_types_;  // an earlier file had "__NOGLOBS__" for them
    Rules exact_;
    Rules lower_;
};

}  // namespace azlock::ops
