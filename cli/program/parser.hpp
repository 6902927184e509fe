// The grammar of the command line: commands, their options and operands. Only parser.cpp knows the library behind it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace azlock::cli {

// An option, a flag or an operand of one parser, which owns it. The setters return it again.
class Option {
  public:
    explicit Option(CLI::Option& option);
    Option(const Option&) = delete;
    Option& operator=(const Option&) = delete;

    // An empty value means something, and is not refused: otherwise an unset shell variable would drop a condition
    // in silence.
    Option* may_be_empty();
    Option* type_name(const std::string& name);  // the name of the value in help
    Option* group(const std::string& heading);   // the heading in help
    // Not in help and completion: an older spelling that scripts may use.
    Option* hidden() { return group(""); }
    Option* envname(const std::string& variable);
    Option* required();
    Option* excludes(Option* other);
    // It may be given several times, each time with one value.
    Option* repeated();
    Option* choices(const std::vector<std::string>& words);
    Option* choices_in_any_case(const std::vector<std::string>& words);
    Option* range(int least, int most);
    Option* range(std::uint64_t least, std::uint64_t most);

    // "-w" and "--wait"; an operand has one name.
    [[nodiscard]] std::vector<std::string> names() const;
    [[nodiscard]] bool is_operand() const;
    [[nodiscard]] bool is_required() const;
    [[nodiscard]] bool takes_value() const;
    [[nodiscard]] bool needs_value() const;
    [[nodiscard]] std::string description() const;
    [[nodiscard]] std::string heading() const;  // empty: hidden
    [[nodiscard]] std::string environment() const;
    [[nodiscard]] const std::string& type() const { return type_; }  // "DUR"; empty for an operand without one
    [[nodiscard]] const std::vector<std::string>& choice_list() const { return choices_; }  // empty: any value
    [[nodiscard]] const std::string& limits() const { return limits_; }                     // "1 to 256"; or empty
    [[nodiscard]] const std::vector<std::string>& excluded() const {
        return excluded_;
    }  // by excludes(), here or there
    [[nodiscard]] std::size_t most_values() const;

  private:
    friend class Parser;
    Option* choose(const std::vector<std::string>& words, bool any_case);
    template <typename N>
    Option* limit(N least, N most);

    CLI::Option& option_;
    bool may_be_empty_ = false;
    std::string type_;
    std::vector<std::string> choices_;
    std::string limits_;
    std::vector<std::string> excluded_;
};

// A command with its options and subcommands. The root owns all of them. The variables that options write to must live
// as long as the root is used.
class Parser {
  public:
    explicit Parser(const std::string& name = "azlock", const std::string& description = {});
    Parser(const Parser&) = delete;
    Parser& operator=(const Parser&) = delete;
    ~Parser();

    Parser* add_subcommand(const std::string& name, const std::string& description);
    // The heading, in the list of commands, of those that are added from now on.
    void head_commands(const std::string& heading) { next_heading_ = heading; }
    // `names`: "-w,--wait" or an operand's name. T: a string, an integer, an optional of one of these, or a list of
    // strings.
    template <typename T>
    Option* add_option(const std::string& names, T& out, const std::string& help = {});
    // `take` reads the text of the value; its error becomes a usage error that names the option.
    Option* add_value(const std::string& names, std::function<Status(const std::string&)> take,
                      const std::string& help);
    // T: bool; int, which counts; string, for a flag that may have "=VALUE".
    template <typename T>
    Option* add_flag(const std::string& names, T& out, const std::string& help = {});
    void remove_option(const std::string& name);
    void footer(const std::string& text) { footer_ = text; }
    void require_subcommand();

    // Root only. Error: usage, in one line; also for an empty value of an option or operand, unless it may be empty. An
    // empty environment variable (envname) counts as not set.
    // `refused_place`: whether it was because of a word that has no place, or one that is missing.
    enum class Parsed { command, help };
    [[nodiscard]] Result<Parsed> parse(const std::vector<std::string>& arguments, bool* refused_place = nullptr);
    // The innermost command that was given; the root if none was.
    [[nodiscard]] const Parser& chosen() const;

    [[nodiscard]] std::string name() const;
    [[nodiscard]] std::string description() const;
    [[nodiscard]] const std::string& footer() const { return footer_; }
    [[nodiscard]] const std::string& heading() const { return heading_; }
    [[nodiscard]] const Parser* parent() const { return parent_; }  // null: this is the root
    [[nodiscard]] std::string path() const;                         // "azlock lease acquire"
    [[nodiscard]] std::vector<const Option*> options() const;
    [[nodiscard]] const std::vector<std::unique_ptr<Parser>>& commands() const { return commands_; }
    // Null if there is none.
    [[nodiscard]] Parser* command(const std::string& name) const;
    // An option of this command or of one above it; null if there is none.
    [[nodiscard]] const Option* find_option(const std::string& name) const;

  private:
    Parser(Parser* parent, CLI::App& app);
    Option* keep(CLI::Option* option);

    std::unique_ptr<CLI::App> root_;  // null in a subcommand
    Parser* parent_ = nullptr;
    CLI::App* app_;
    std::string footer_;
    std::string heading_;
    std::string next_heading_;
    std::vector<std::unique_ptr<Parser>> commands_;
    std::vector<std::unique_ptr<Option>> options_;
};

// The version of the parser library.
[[nodiscard]] std::string parser_version();

}  // namespace azlock::cli
