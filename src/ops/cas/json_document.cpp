#include "ops/cas/json_document.hpp"

#include <algorithm>
#include <set>
#include <vector>

namespace azlock::ops {
namespace {

constexpr std::size_t kMaxDepth = 500;

// The significant digits of a number, without leading and trailing zeros.
std::string significant_digits(std::string_view number) {
    std::string digits;
    for (const char c : number.substr(0, number.find_first_of("eE"))) {
        if (c >= '0' && c <= '9') digits += c;
    }
    const std::size_t first = digits.find_first_not_of('0');
    return first == std::string::npos ? "" : digits.substr(first, digits.find_last_not_of('0') - first + 1);
}

// Checks a document before it is parsed, and refuses what parsing would lose.
class Check final : public nlohmann::json_sax<Document> {
  public:
    bool null() override { return true; }
    bool boolean(bool) override { return true; }
    bool number_integer(number_integer_t) override { return true; }
    bool number_unsigned(number_unsigned_t) override { return true; }
    bool number_float(number_float_t value, const string_t& text) override {
        if (significant_digits(text) == significant_digits(Document(value).dump())) return true;
        return refuse("the number " + text + " has more digits than can be kept");
    }
    bool string(string_t&) override { return true; }
    bool binary(binary_t&) override { return true; }
    bool start_object(std::size_t) override {
        keys_.emplace_back();
        return open();
    }
    bool key(string_t& name) override {
        return keys_.back().insert(name).second || refuse("the key \"" + name + "\" occurs twice");
    }
    bool end_object() override {
        keys_.pop_back();
        --depth_;
        return true;
    }
    bool start_array(std::size_t) override { return open(); }
    bool end_array() override {
        --depth_;
        return true;
    }
    bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception& error) override {
        if (error.id == 406) return refuse("a number at byte " + std::to_string(position) + " is too large");
        return refuse("it is not JSON (at byte " + std::to_string(position) + ")");
    }
    [[nodiscard]] const std::string& why() const { return why_; }

  private:
    bool open() { return ++depth_ <= kMaxDepth || refuse("it is nested too deeply"); }
    bool refuse(std::string why) {
        why_ = std::move(why);
        return false;
    }

    std::size_t depth_ = 0;
    std::vector<std::set<std::string>> keys_;
    std::string why_;
};

// The number of spaces or tabs before the first element, and which of the two it is. -1: the document is on one line.
std::pair<int, char> indentation(std::string_view text) {
    const std::size_t open = text.find_first_of("{[");
    if (open == std::string_view::npos || open + 1 >= text.size()) return {-1, ' '};
    std::size_t at = open + 1;
    if (text[at] == '\r') ++at;
    if (at >= text.size() || text[at] != '\n') return {-1, ' '};
    const std::size_t begin = ++at;
    while (at < text.size() && text[at] == (text[begin] == '\t' ? '\t' : ' ')) ++at;
    return {static_cast<int>(std::min<std::size_t>(at - begin, 16)), text[begin] == '\t' ? '\t' : ' '};
}

}  // namespace

Result<Document> read_document(std::string_view text, const std::string& what) {
    Check check;
    if (!nlohmann::ordered_json::sax_parse(text.begin(), text.end(), &check)) {
        return fail(ErrorCode::data, what + " cannot be used: " + check.why());
    }
    return Document::parse(text.begin(), text.end());
}

std::string write_document(const Document& document, std::string_view like) {
    const auto [width, fill] = indentation(like);
    std::string out = document.dump(width, fill, false, Document::error_handler_t::replace);
    if (like.ends_with('\n')) out += '\n';
    return out;
}

}  // namespace azlock::ops
