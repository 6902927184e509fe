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
    Option* envname(const std::string& variable);
    Option* option_text(const std::string& text);  // in help, instead of type and default
    Option* show_default();
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
    [[nodiscard]] std::string value_text() const;  // "STATE:{leased,broken}", "N:UINT in [1 - 1000]"

  private:
    friend class Parser;
    CLI::Option& option_;
    bool may_be_empty_ = false;
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
    void footer(const std::string& text);
    void require_subcommand();

    // Root only. Error: usage, in one line; also for an empty value of an option or operand, unless it may be empty. An
    // empty environment variable (envname) counts as not set.
    enum class Parsed { command, help };
    [[nodiscard]] Result<Parsed> parse(const std::vector<std::string>& arguments);
    // The help of the innermost command that was parsed.
    [[nodiscard]] std::string help() const;
    // The innermost command that was given; the root if none was.
    [[nodiscard]] const Parser& chosen() const;

    [[nodiscard]] std::string name() const;
    [[nodiscard]] std::string description() const;
    [[nodiscard]] std::string footer() const;
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
    std::vector<std::unique_ptr<Parser>> commands_;
    std::vector<std::unique_ptr<Option>> options_;
};

// The version of the parser library.
[[nodiscard]] std::string parser_version();

}  // namespace azlock::cli
