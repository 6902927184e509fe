#include "cli/program/help.hpp"

#include <algorithm>
#include <sstream>

#include "base/text.hpp"

namespace azlock::cli {
namespace {

constexpr std::size_t kIndent = 2;
constexpr std::size_t kHelpColumn = 28;  // where the text of an option begins

std::vector<std::string> wrapped(const std::string& text, std::size_t columns) {
    std::vector<std::string> lines;
    std::istringstream words(text);
    for (std::string word; words >> word;) {
        if (!lines.empty() && lines.back().size() + 1 + word.size() <= columns) {
            lines.back() += " " + word;
        } else {
            lines.push_back(word);
        }
    }
    return lines;
}

class Page {
  public:
    explicit Page(HelpStyle style) : style_(style) {}

    void heading(const std::string& text) {
        if (!text_.empty()) text_ += "\n";
        text_ += (style_.color ? "\x1b[1m" + text + "\x1b[0m" : text) + "\n";
    }
    void line(const std::string& text) { text_ += text + "\n"; }
    void paragraph(const std::string& text, std::size_t indent = 0) {
        for (const std::string& part : wrapped(text, style_.columns - indent)) line(std::string(indent, ' ') + part);
    }
    // "  NAME     What it is"
    void row(const std::string& name, const std::string& about, std::size_t column = kHelpColumn) {
        std::string begin = std::string(kIndent, ' ') + name;
        const auto lines = wrapped(about, style_.columns - column);
        const bool fits = begin.size() + 2 <= column && !lines.empty();
        if (!fits) line(begin);
        for (const std::string& part : lines) {
            const bool first = fits && &part == &lines.front();
            line((first ? begin + std::string(column - begin.size(), ' ') : std::string(column, ' ')) + part);
        }
    }
    // Lines that are indented stay as they are.
    void prose(const std::vector<std::string>& lines) {
        std::string open;
        const auto close = [&] {
            paragraph(open);
            open.clear();
        };
        for (const std::string& text : lines) {
            if (!text.empty() && text.front() != ' ') {
                open += text + " ";
                continue;
            }
            close();
            line(text);
        }
        close();
    }
    [[nodiscard]] const std::string& text() const { return text_; }

  private:
    HelpStyle style_;
    std::string text_;
};

// What a command says below its options.
struct Footer {
    std::vector<std::string> examples;
    std::vector<std::string> notes;
};

Footer parts_of(const std::string& footer) {
    Footer out;
    bool in_examples = false;
    for (const std::string_view view : split(footer, '\n')) {
        const std::string text(view);
        if (text.starts_with("Example")) {
            in_examples = true;
        } else if (in_examples && text.starts_with("  ")) {
            out.examples.push_back(text);
        } else {
            in_examples = false;
            if (!text.empty() || !out.notes.empty()) out.notes.push_back(text);
        }
    }
    while (!out.notes.empty() && out.notes.back().empty()) out.notes.pop_back();
    return out;
}

std::string names_of(const OptionInfo& option) {
    std::string out;
    for (const std::string& name : option.names) out += (out.empty() ? "" : ", ") + name;
    if (!option.optional_value.empty()) return out + "[=" + option.optional_value + "]";
    return option.value.empty() || !out.starts_with("-") ? out : out + " " + option.value;
}

std::string about(const OptionInfo& option) {
    std::string out = option.help;
    const auto add = [&](const std::string& more) { out += " [" + more + "]"; };
    if (!option.choices.empty() && option.value.find('|') == std::string::npos) {
        std::string list;
        for (const std::string& choice : option.choices) list += (list.empty() ? "" : ", ") + choice;
        add(list);
    }
    if (!option.limits.empty()) add(option.limits);
    if (!option.excludes.empty()) {
        std::string list;
        for (const std::string& name : option.excludes) list += (list.empty() ? "" : ", ") + name;
        add("not with " + list);
    }
    if (!option.environment.empty()) add("environment: " + option.environment);
    if (option.required && option.names.front().starts_with("-")) add("required");
    return out;
}

void add_usage(Page& page, const CommandInfo& command) {
    page.heading("Usage:");
    page.paragraph(usage_of(command), kIndent);
    if (!command.runs.starts_with("-")) return;
    page.paragraph(command.path + " " + command.runs + " [OPTION...] DEST -- COMMAND...", kIndent);
}

// One line for each command; those of a heading follow each other.
void add_commands(Page& page, const CommandInfo& group) {
    std::string heading;
    for (const CommandInfo& command : group.commands) {
        const std::string wanted = command.group.empty() ? "Commands" : command.group;
        if (wanted != heading) page.heading(wanted + ":");
        heading = wanted;
        page.row(command.name(), command.description, 16);
    }
}

void add_options(Page& page, const CommandInfo& command, bool all) {
    if (!command.operands.empty()) {
        page.heading("Arguments:");
        for (const OptionInfo& operand : command.operands) page.row(names_of(operand), about(operand));
    }
    std::vector<std::string> groups;
    for (const OptionInfo& option : command.options) {
        if (std::find(groups.begin(), groups.end(), option.group) == groups.end()) groups.push_back(option.group);
    }
    // The options without a heading of their own come first.
    std::stable_partition(groups.begin(), groups.end(), [](const std::string& group) { return group == "Options"; });
    std::string others;
    for (const std::string& group : groups) {
        if (!all && group != "Options") {
            others += (others.empty() ? "" : ", ") + group;
            continue;
        }
        page.heading(group + ":");
        for (const OptionInfo& option : command.options) {
            if (option.group == group) page.row(names_of(option), about(option));
        }
    }
    if (others.empty()) return;
    page.line("");
    page.paragraph("More options with --help: " + others + ".");
}

void add_examples(Page& page, const Footer& footer) {
    if (footer.examples.empty()) return;
    page.heading("Examples:");
    for (const std::string& example : footer.examples) page.line(example);
}

bool is_app(const CommandInfo& command) {
    return command.path.find(' ') == std::string::npos;
}

}  // namespace

std::string usage_of(const CommandInfo& command) {
    std::string out = command.path;
    if (!command.commands.empty()) return out + " COMMAND [OPTION...] ...";
    if (!command.options.empty()) out += " [OPTION...]";
    for (const OptionInfo& operand : command.operands) {
        const std::string& name = operand.names.front();
        // "SRC... DEST" is not required in all forms of its command, but in this one.
        const bool needed = operand.required || name.find("... ") != std::string::npos;
        out += needed ? " " + name : " [" + name + "]";
    }
    return command.runs == "always" ? out + " -- COMMAND..." : out;
}

std::string brief_help(const CommandInfo& command, HelpStyle style) {
    Page page(style);
    const Footer footer = parts_of(command.footer);
    page.paragraph(command.description);
    add_usage(page, command);
    add_examples(page, footer);
    add_commands(page, command);
    if (command.commands.empty()) add_options(page, command, false);
    page.line("");
    const std::string words = command.path.substr(std::min(command.path.size(), command.path.find(' ')));
    page.paragraph(command.commands.empty() ? "'" + command.path + " --help' says everything, with the exit codes."
                                            : "'azlock help" + words + " COMMAND' explains a command." +
                                                  (is_app(command) ? " 'azlock --help' also lists the options of every "
                                                                     "command and the exit codes."
                                                                   : ""));
    return page.text();
}

std::string full_help(const CommandInfo& command, HelpStyle style) {
    Page page(style);
    const Footer footer = parts_of(command.footer);
    page.paragraph(command.description);
    add_usage(page, command);
    add_commands(page, command);
    add_options(page, command, true);
    if (!footer.notes.empty()) {
        page.line("");
        page.prose(footer.notes);
    }
    add_examples(page, footer);
    page.heading("Exit codes:");
    for (const ExitCode& row : command.exit_codes) page.row(std::string(row.code), std::string(row.meaning), 9);
    if (!is_app(command)) {
        page.line("");
        page.paragraph("'azlock --help' lists the options of every command: account, network, output.");
    }
    return page.text();
}

}  // namespace azlock::cli
