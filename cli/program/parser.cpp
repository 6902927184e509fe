#include "cli/program/parser.hpp"

#include <algorithm>
#include <optional>

#include <CLI/CLI.hpp>

#include "base/encoding.hpp"
#include "base/nearest.hpp"
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
    type_ = name;
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

Option* Option::required() {
    option_.required();
    return this;
}

Option* Option::excludes(Option* other) {
    option_.excludes(&other->option_);
    if (!other->heading().empty()) excluded_.push_back(other->names().back());
    if (!heading().empty()) other->excluded_.push_back(names().back());
    return this;
}

Option* Option::repeated() {
    option_.expected(1)->allow_extra_args(false)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    return this;
}

Option* Option::choose(const std::vector<std::string>& words, bool any_case) {
    choices_ = words;
    option_.check([words, any_case](const std::string& value) {
        const auto is_it = [&](const std::string& word) { return any_case ? iequals(word, value) : word == value; };
        if (std::any_of(words.begin(), words.end(), is_it)) return std::string();
        std::string list;
        for (const std::string& word : words) list += (list.empty() ? "" : ", ") + word;
        const auto near = nearest(value, words);
        return "'" + printable(value) + "' is not one of " + list + (near ? "; do you mean '" + *near + "'?" : "");
    });
    return this;
}

Option* Option::choices(const std::vector<std::string>& words) {
    return choose(words, false);
}

Option* Option::choices_in_any_case(const std::vector<std::string>& words) {
    return choose(words, true);
}

template <typename N>
Option* Option::limit(N least, N most) {
    limits_ = std::to_string(least) + " to " + std::to_string(most);
    option_.check(CLI::Range(least, most));
    return this;
}

Option* Option::range(int least, int most) {
    return limit(least, most);
}

Option* Option::range(std::uint64_t least, std::uint64_t most) {
    return limit(least, most);
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

std::size_t Option::most_values() const {
    return static_cast<std::size_t>(option_.get_items_expected_max());
}

Parser::Parser(const std::string& name, const std::string& description)
    : root_(std::make_unique<CLI::App>(description, name)), app_(root_.get()) {
    app_->require_subcommand(0, 1);
    app_->fallthrough();
    app_->set_help_flag("-h,--help", "Print a short help (-h) or all of it (--help)");
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
    commands_.back()->heading_ = next_heading_;
    return commands_.back().get();
}

template <typename T>
Option* Parser::add_option(const std::string& names, T& out, const std::string& help) {
    CLI::Option* option = app_->add_option(without_spaces(names), out, help);
    Option* kept = keep(option);
    if (!kept->is_operand()) kept->type_ = kIsNumber<T> ? "N" : "TEXT";
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

void Parser::require_subcommand() {
    app_->require_subcommand(1);
}

Result<Parser::Parsed> Parser::parse(const std::vector<std::string>& given, bool* refused_place) {
    std::vector<std::string> arguments = given;
    std::reverse(arguments.begin(), arguments.end());  // the library takes them from the back
    try {
        app_->parse(std::move(arguments));
    } catch (const CLI::CallForHelp&) {
        return Parsed::help;
    } catch (const CLI::ParseError& error) {
        const auto code = static_cast<CLI::ExitCodes>(error.get_exit_code());
        const bool place = code == CLI::ExitCodes::ExtrasError || code == CLI::ExitCodes::RequiredError;
        if (refused_place != nullptr) *refused_place = place;
        std::string message = with_spaces(error.what());
        message.erase(std::find(message.begin(), message.end(), '\n'), message.end());
        return fail(ErrorCode::usage, message, "see '" + chosen().path() + " --help'");
    }
    return Parsed::command;
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

std::string Parser::path() const {
    return parent_ == nullptr ? name() : parent_->path() + " " + name();
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
