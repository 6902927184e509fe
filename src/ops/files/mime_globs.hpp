// Which file names are of which type: the rules of one database, by weight and length.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/glob.hpp"

namespace azlock::ops {

class MimeGlobs {
  public:
    // Lines "weight:type:glob[:flags]" of shared-mime-info; the flag "cs" makes upper and lower case differ. Files are
    // added most preferred first: of two rules that are equally good the one that came first counts, and
    // "__NOGLOBS__" keeps later files from adding globs for its type. Lines that make no sense are left out.
    void add_globs2(std::string_view text);
    // Lines "type extension..." as in /etc/mime.types.
    void add_mime_types(std::string_view text);

    [[nodiscard]] bool empty() const { return types_.empty(); }

    // The type of the file with this name: a name that is a rule by itself, then the rule of the highest weight, then
    // the longest; first as the name is written, then in lower case.
    [[nodiscard]] std::optional<std::string> find(std::string_view name) const;

  private:
    struct Rule {
        unsigned weight = 0;
        std::size_t length = 0;
        std::size_t type = 0;  // in types_
    };
    struct Other {
        Glob glob;
        Rule rule;
    };
    // Names, ends of names ("*.tar.gz"), and whatever else.
    struct Rules {
        std::unordered_map<std::string, Rule> names;
        std::unordered_map<std::string, Rule> ends;
        std::size_t longest_end = 0;
        std::vector<Other> others;

        void add(const std::string& pattern, const Rule& rule);
        [[nodiscard]] const Rule* find(std::string_view name) const;
    };

    void add(unsigned weight, std::string_view type, std::string_view pattern, bool case_sensitive);
    [[nodiscard]] std::size_t index_of(std::string_view type);

    std::vector<std::string> types_;
    std::unordered_map<std::string, std::size_t> known_types_;
    std::unordered_map<std::string, bool> closed_types_;  // "__NOGLOBS__" was in a file before
    Rules exact_;
    Rules lower_;
};

}  // namespace azlock::ops
