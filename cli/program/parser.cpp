#include "cli/program/parser.hpp"

#include <algorithm>
#include <optional>

#include <CLI/CLI.hpp>

#include "base/encoding.hpp"
#include "base/text.hpp"

namespace azlock::cli {
namespace {

// The library, from version 2.4 on, refuses an operand's name with a space ("SRC... DEST"). It gets this byte instead.
constexpr char kSpace = '\x7f';

std::string without_spaces(std::string names) {
    std::replace(names.begin(), names.end(), ' ', kSpace);
    return names;
}

std::string with_spaces(std::string text) {
    std::replace(text.begin(), text.end(), kSpace, ' ');
    return text;
}

template <typename T>
constexpr bool kIsNumber = std::is_integral_v<T>;
template <typename T>
constexpr bool kIsNumber<std::optional<T>> = std::is_integral_v<T>;

// The library takes "010" for 8, and what is negative or too large for some other number.
std::string to_decimal(std::string& text) {
    if (text.empty()) return {};
    const auto number = parse_u64(text);
    if (!number) {
        const bool digits = std::all_of(text.begin(), text.end(), is_digit);
        return "'" + printable(text) + (digits ? "' is too large" : "' is not a whole number: write digits only");
    }
    text = std::to_string(*number);
    return {};
}

}  // namespace

Option::Option(CLI::Option& option) : option_(option) {
    // The library asks no validator about a flag.
    option_.check([this](const std::string& value) {
        return value.empty() && !may_be_empty_ ? std::string("the value is empty") : std::string();
    });
}

Option* Option::may_be_empty() {
    may_be_empty_ = true;
    return this;
}

Option* Option::type_name(const std::string& name) {
    option_.type_name(name);
    return this;
}

Option* Option::group(const std::string& heading) {
    option_.group(heading);
    return this;
}

Option* Option::envname(const std::string& variable) {
    option_.envname(variable);
    return this;
}

Option* Option::option_text(const std::string& text) {
    option_.option_text(text);
    return this;
}

Option* Option::show_default() {
    option_.capture_default_str();
    return this;
}

Option* Option::required() {
    option_.required();
    return this;
}

Option* Option::excludes(Option* other) {
    option_.excludes(&other->option_);
    return this;
}

Option* Option::repeated() {
    option_.expected(1)->allow_extra_args(false)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    return this;
}

Option* Option::choices(const std::vector<std::string>& words) {
    option_.check(CLI::IsMember(words));
    return this;
}

Option* Option::choices_in_any_case(const std::vector<std::string>& words) {
    option_.check(CLI::IsMember(words, CLI::ignore_case));
    return this;
}

Option* Option::range(int least, int most) {
    option_.check(CLI::Range(least, most));
    return this;
}

Option* Option::range(std::uint64_t least, std::uint64_t most) {
    option_.check(CLI::Range(least, most));
    return this;
}

std::vector<std::string> Option::names() const {
    if (is_operand()) return {with_spaces(option_.get_name(true))};
    std::vector<std::string> out;
    for (const std::string& name : option_.get_snames()) out.push_back("-" + name);
    for (const std::string& name : option_.get_lnames()) out.push_back("--" + name);
    return out;
}

bool Option::is_operand() const {
    return option_.get_positional();
}

bool Option::is_required() const {
    return option_.get_required();
}

bool Option::takes_value() const {
    return option_.get_items_expected_max() > 0;
}

bool Option::needs_value() const {
    return option_.get_items_expected_min() > 0;
}

std::string Option::description() const {
    return option_.get_description();
}

std::string Option::heading() const {
    return option_.get_group();
}

std::string Option::environment() const {
    return option_.get_envname();
}

std::string Option::value_text() const {
    return takes_value() ? option_.get_type_name() : std::string();
}

Parser::Parser(const std::string& name, const std::string& description)
    : root_(std::make_unique<CLI::App>(description, name)), app_(root_.get()) {
    app_->require_subcommand(0, 1);
    app_->fallthrough();
    app_->get_formatter()->column_width(36);
    keep(app_->get_help_ptr());
}

Parser::Parser(Parser* parent, CLI::App& app) : parent_(parent), app_(&app) {
    keep(app.get_help_ptr());
}

Parser::~Parser() = default;

Option* Parser::keep(CLI::Option* option) {
    options_.push_back(std::make_unique<Option>(*option));
    return options_.back().get();
}

Parser* Parser::add_subcommand(const std::string& name, const std::string& description) {
    CLI::App* app = app_->add_subcommand(name, description);
    commands_.push_back(std::unique_ptr<Parser>(new Parser(this, *app)));
    return commands_.back().get();
}

template <typename T>
Option* Parser::add_option(const std::string& names, T& out, const std::string& help) {
    CLI::Option* option = app_->add_option(without_spaces(names), out, help);
    Option* kept = keep(option);
    if constexpr (kIsNumber<T>) option->transform(CLI::Validator(to_decimal, {}));
    return kept;
}
template Option* Parser::add_option(const std::string&, std::string&, const std::string&);
template Option* Parser::add_option(const std::string&, std::optional<std::string>&, const std::string&);
template Option* Parser::add_option(const std::string&, std::vector<std::string>&, const std::string&);
template Option* Parser::add_option(const std::string&, int&, const std::string&);
template Option* Parser::add_option(const std::string&, std::optional<int>&, const std::string&);
template Option* Parser::add_option(const std::string&, std::uint64_t&, const std::string&);
template Option* Parser::add_option(const std::string&, std::optional<std::uint64_t>&, const std::string&);

Option* Parser::add_value(const std::string& names, std::function<Status(const std::string&)> take,
                          const std::string& help) {
    const std::string name = names.substr(names.rfind(',') + 1);
    const auto read = [name, take = std::move(take)](const CLI::results_t& results) {
        const Status taken = take(results.front());
        if (taken) return true;
        const Error& error = taken.error();
        throw CLI::ValidationError(name, error.hint.empty() ? error.message : error.message + ": " + error.hint);
    };
    return keep(app_->add_option(without_spaces(names), read, help)->expected(1));
}

template <typename T>
Option* Parser::add_flag(const std::string& names, T& out, const std::string& help) {
    return keep(app_->add_flag(names, out, help));
}
template Option* Parser::add_flag(const std::string&, bool&, const std::string&);
template Option* Parser::add_flag(const std::string&, int&, const std::string&);
template Option* Parser::add_flag(const std::string&, std::string&, const std::string&);

void Parser::remove_option(const std::string& name) {
    CLI::Option* option = app_->get_option(name);
    options_.erase(
        std::find_if(options_.begin(), options_.end(), [&](const auto& kept) { return &kept->option_ == option; }));
    app_->remove_option(option);
}

void Parser::footer(const std::string& text) {
    app_->footer(text);
}

void Parser::require_subcommand() {
    app_->require_subcommand(1);
}

Result<Parser::Parsed> Parser::parse(const std::vector<std::string>& given) {
    std::vector<std::string> arguments = given;
    std::reverse(arguments.begin(), arguments.end());  // the library takes them from the back
    try {
        app_->parse(std::move(arguments));
    } catch (const CLI::CallForHelp&) {
        return Parsed::help;
    } catch (const CLI::ParseError& error) {
        std::string message = with_spaces(error.what());
        message.erase(std::find(message.begin(), message.end(), '\n'), message.end());
        std::string command = name();
        for (const Parser* at = &chosen(); at->parent_ != nullptr; at = at->parent_) {
            command.insert(name().size(), " " + at->name());
        }
        return fail(ErrorCode::usage, message, "see '" + command + " --help'");
    }
    return Parsed::command;
}

std::string Parser::help() const {
    return with_spaces(app_->help());
}

const Parser& Parser::chosen() const {
    const Parser* at = this;
    for (bool deeper = true; deeper;) {
        deeper = false;
        for (const auto& command : at->commands_) {
            if (!command->app_->parsed()) continue;
            at = command.get();
            deeper = true;
            break;
        }
    }
    return *at;
}

std::string Parser::name() const {
    return app_->get_name();
}

std::string Parser::description() const {
    return app_->get_description();
}

std::string Parser::footer() const {
    return app_->get_footer();
}

std::vector<const Option*> Parser::options() const {
    std::vector<const Option*> out;
    for (const auto& option : options_) out.push_back(option.get());
    return out;
}

Parser* Parser::command(const std::string& name) const {
    const auto it = std::find_if(commands_.begin(), commands_.end(), [&](const auto& c) { return c->name() == name; });
    return it == commands_.end() ? nullptr : it->get();
}

const Option* Parser::find_option(const std::string& name) const {
    for (const Parser* at = this; at != nullptr; at = at->parent_) {
        const CLI::Option* found = at->app_->get_option_no_throw(name);
        const auto it = std::find_if(at->options_.begin(), at->options_.end(),
                                     [&](const auto& kept) { return &kept->option_ == found; });
        if (it != at->options_.end()) return it->get();
    }
    return nullptr;
}

std::string parser_version() {
    return CLI11_VERSION;
}

}  // namespace azlock::cli
