// Maps file names to content types by the rules of one database, by weight and length.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/glob.hpp"

namespace azlock::ops {

class MimeGlobs {
  public:
    // Lines "weight:type:glob[:flags]" of shared-mime-info; the flag "cs" makes upper and lower case differ. Add the
    // most preferred file first: of two equal rules the first one counts, and "__NOGLOBS__" keeps later files from
    // adding globs for its type. Invalid lines are ignored.
    void add_globs2(std::string_view text);
    // Lines "type extension..." as in /etc/mime.types.
    void add_mime_types(std::string_view text);

    // The type of a file with this name. A rule that is exactly this name comes first, then the rule of the highest
    // weight, then the longest rule. The name is tried as it is written, then in lower case.
    [[nodiscard]] std::optional<std::string> find(std::string_view name) const;

  private:
    struct Rule {
        unsigned weight = 0;
        std::size_t length = 0;
        std::string type;
    };
    // Exact names, ends of names ("*.tar.gz"), and all other globs.
    struct Rules {
        std::unordered_map<std::string, Rule> names;
        std::unordered_map<std::string, Rule> ends;
        std::size_t longest_end = 0;
        std::vector<std::pair<Glob, Rule>> others;

        void add(const std::string& pattern, const Rule& rule);
        [[nodiscard]] const Rule* find(std::string_view name) const;
    };

    void add(unsigned weight, std::string_view type, std::string_view pattern, bool case_sensitive);

    std::unordered_set<std::string> closed_types_;  // an earlier file had "__NOGLOBS__" for them
    Rules exact_;
    Rules lower_;
};

}  // namespace azlock::ops
