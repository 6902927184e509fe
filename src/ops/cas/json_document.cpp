#include "ops/cas/json_document.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <vector>

namespace azlock::ops {
namespace {

constexpr std::size_t kMaxDepth = 500;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::size_t kMaxExponentDigits = 9;

// The exact value of a number: 0.digits times 10 to the power of the exponent. Equal values have equal members.
struct Decimal {
    bool negative = false;
    std::string digits;  // without leading and trailing zeros; empty for 0
    std::int64_t exponent = 0;

    friend bool operator==(const Decimal&, const Decimal&) = default;
};

std::optional<std::int64_t> read_exponent(std::string_view text) {
    const bool negative = text.starts_with('-');
    if (negative || text.starts_with('+')) text.remove_prefix(1);
    text.remove_prefix(std::min(text.find_first_not_of('0'), text.size()));
    if (text.size() > kMaxExponentDigits) return std::nullopt;
    std::int64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return negative ? -value : value;
}

// `text` is a number as JSON writes it. nullopt: its exponent has more than nine digits.
std::optional<Decimal> read_decimal(std::string_view text) {
    Decimal out;
    out.negative = text.starts_with('-');
    if (out.negative) text.remove_prefix(1);
    if (const std::size_t e = text.find_first_of("eE"); e != std::string_view::npos) {
        const auto exponent = read_exponent(text.substr(e + 1));
        if (!exponent) return std::nullopt;
        out.exponent = *exponent;
        text = text.substr(0, e);
    }
    const std::size_t point = std::min(text.find('.'), text.size());
    out.digits = text.substr(0, point);
    if (point < text.size()) out.digits += text.substr(point + 1);
    const std::size_t first = out.digits.find_first_not_of('0');
    if (first == std::string::npos) return Decimal{};
    out.exponent += static_cast<std::int64_t>(point) - static_cast<std::int64_t>(first);
    out.digits = out.digits.substr(first, out.digits.find_last_not_of('0') - first + 1);
    return out;
}

Document verbatim(std::string_view number) {
    return Document::binary({number.begin(), number.end()});
}

bool is_number(const Document& value) {
    return value.is_number() || value.is_binary();
}

std::string number_text(const Document& number) {
    if (!number.is_binary()) return number.dump();
    const auto& text = number.get_binary();
    return {text.begin(), text.end()};
}

// Makes the document, and refuses what it could not keep.
class Builder final : public nlohmann::json_sax<Document> {
  public:
    bool null() override { return put(nullptr); }
    bool boolean(bool value) override { return put(value); }
    // A negative integer, so 0 is "-0".
    bool number_integer(number_integer_t value) override { return put(value == 0 ? verbatim("-0") : Document(value)); }
    bool number_unsigned(number_unsigned_t value) override { return put(value); }
    bool number_float(number_float_t value, const string_t& text) override {
        if (!read_decimal(text)) return refuse("the exponent of a number is too large");
        Document number(value);
        return put(number.dump() == text ? std::move(number) : verbatim(text));
    }
    bool string(string_t& value) override { return put(std::move(value)); }
    bool binary(binary_t&) override { return false; }
    bool start_object(std::size_t) override {
        keys_.emplace_back();
        return open(Document::object());
    }
    bool key(string_t& name) override {
        if (!keys_.back().insert(name).second) return refuse("the key \"" + name + "\" occurs twice");
        key_ = std::move(name);
        return true;
    }
    bool end_object() override {
        keys_.pop_back();
        return close();
    }
    bool start_array(std::size_t) override { return open(Document::array()); }
    bool end_array() override { return close(); }
    bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception& error) override {
        if (error.id == 406) return refuse("a number at byte " + std::to_string(position) + " is too large");
        return refuse("it is not JSON (at byte " + std::to_string(position) + ")");
    }
    [[nodiscard]] Document take() { return std::move(root_); }
    [[nodiscard]] const std::string& why() const { return why_; }

  private:
    bool put(Document value) {
        place(std::move(value));
        return true;
    }
    bool open(Document container) {
        if (path_.size() == kMaxDepth) return refuse("it is nested too deeply");
        path_.push_back(&place(std::move(container)));
        return true;
    }
    bool close() {
        path_.pop_back();
        return true;
    }
    Document& place(Document value) {
        if (path_.empty()) return root_ = std::move(value);
        if (auto* array = path_.back()->get_ptr<Document::array_t*>()) {
            return array->emplace_back(std::move(value));
        }
        // Not by operator[], which searches all keys.
        auto& members = path_.back()->get_ref<Document::object_t&>();
        return static_cast<Document::object_t::Container&>(members)
            .emplace_back(std::move(key_), std::move(value))
            .second;
    }
    bool refuse(std::string why) {
        why_ = std::move(why);
        return false;
    }

    Document root_;
    std::vector<Document*> path_;  // the open objects and arrays
    std::vector<std::set<std::string>> keys_;
    std::string key_;
    std::string why_;
};

// How a document is laid out.
struct Layout {
    std::string_view before;    // a byte order mark
    std::string_view after;     // the last line end
    std::string_view line_end;  // empty: the document is on one line
    std::string_view indent;    // of one level
};

Layout layout_of(std::string_view text) {
    Layout out;
    if (text.starts_with(kByteOrderMark)) out.before = text.substr(0, kByteOrderMark.size());
    const std::size_t last = text.find_last_not_of(kBlanks);
    out.after = last == std::string_view::npos ? std::string_view() : text.substr(last + 1);
    const std::size_t open = text.find_first_of("{[");
    if (open == std::string_view::npos) return out;
    std::string_view rest = text.substr(open + 1);
    const std::string_view end = rest.starts_with("\r\n") ? "\r\n" : "\n";
    if (!rest.starts_with(end)) return out;
    rest.remove_prefix(end.size());
    out.line_end = end;
    const char fill = rest.starts_with('\t') ? '\t' : ' ';
    out.indent = rest.substr(0, std::min(rest.find_first_not_of(fill), rest.size()));
    return out;
}

class Writer {
  public:
    explicit Writer(const Layout& layout) : layout_(layout) { out_ += layout.before; }

    void write(const Document& value) {
        if (value.is_object() || value.is_array()) return container(value);
        out_ += is_number(value) ? number_text(value) : value.dump();
    }
    [[nodiscard]] std::string take() {
        out_ += layout_.after;
        return std::move(out_);
    }

  private:
    void container(const Document& value) {
        const bool object = value.is_object();
        out_ += object ? '{' : '[';
        ++depth_;
        for (auto at = value.begin(); at != value.end(); ++at) {
            if (at != value.begin()) out_ += ',';
            new_line();
            if (object) {
                out_ += Document(at.key()).dump();
                out_ += layout_.line_end.empty() ? ":" : ": ";
            }
            write(*at);
        }
        --depth_;
        if (!value.empty()) new_line();
        out_ += object ? '}' : ']';
    }
    void new_line() {
        if (layout_.line_end.empty()) return;
        out_ += layout_.line_end;
        for (int i = 0; i < depth_; ++i) out_ += layout_.indent;
    }

    const Layout& layout_;
    std::string out_;
    int depth_ = 0;
};

}  // namespace

Result<Document> read_document(std::string_view text, const std::string& what) {
    Builder builder;
    if (!nlohmann::ordered_json::sax_parse(text.begin(), text.end(), &builder)) {
        return fail(ErrorCode::data, what + " cannot be used: " + builder.why());
    }
    return builder.take();
}

std::string write_document(const Document& document, std::string_view like) {
    const Layout layout = layout_of(like);
    Writer writer(layout);
    writer.write(document);
    return writer.take();
}

bool is_identical(const Document& a, const Document& b) {
    if (a.type() != b.type() || a.size() != b.size()) return false;
    if (is_number(a)) return number_text(a) == number_text(b);
    if (!a.is_object() && !a.is_array()) return a == b;
    for (auto x = a.begin(), y = b.begin(); x != a.end(); ++x, ++y) {
        if ((a.is_object() && x.key() != y.key()) || !is_identical(*x, *y)) return false;
    }
    return true;
}

bool is_equal(const Document& a, const Document& b) {
    if (is_number(a) && is_number(b)) return read_decimal(number_text(a)) == read_decimal(number_text(b));
    if (a.type() != b.type() || a.size() != b.size()) return false;
    if (a.is_array()) return std::equal(a.begin(), a.end(), b.begin(), is_equal);
    if (!a.is_object()) return a == b;
    // Not by find(), which searches all keys.
    const auto sorted = [](const Document& object) {
        std::map<std::string_view, const Document*> out;
        for (const auto& [key, value] : object.get_ref<const Document::object_t&>()) out.emplace(key, &value);
        return out;
    };
    const auto ours = sorted(a);
    const auto theirs = sorted(b);
    return std::equal(ours.begin(), ours.end(), theirs.begin(), [](const auto& x, const auto& y) {
        return x.first == y.first && is_equal(*x.second, *y.second);
    });
}

}  // namespace azlock::ops
