// A strict reader of the text format of Prometheus: what it does not accept, a collector need not accept.
#pragma once

#include <cctype>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace azlock::test {

struct PrometheusSample {
    std::string name;
    std::map<std::string, std::string> labels;
    double value = 0;
};

class PrometheusText {
  public:
    explicit PrometheusText(const std::string& text) : text_(text) {
        if (!text.empty() && text.back() != '\n') refuse("the last line has no end");
        while (at_ < text_.size()) line();
    }

    [[nodiscard]] const std::vector<PrometheusSample>& samples() const { return samples_; }
    // The value of the one sample that has this name and this label.
    [[nodiscard]] double value(const std::string& name, const std::string& label, const std::string& is) const {
        std::vector<double> found;
        for (const PrometheusSample& sample : samples_) {
            const auto it = sample.labels.find(label);
            if (sample.name == name && it != sample.labels.end() && it->second == is) found.push_back(sample.value);
        }
        if (found.size() != 1) refuse(std::to_string(found.size()) + " samples of " + name);
        return found.front();
    }

  private:
    [[noreturn]] void refuse(const std::string& why) const {
        throw std::runtime_error(why + ", at byte " + std::to_string(at_) + " of:\n" + text_);
    }
    void expect(const std::string& what) {
        if (text_.compare(at_, what.size(), what) != 0) refuse("expected '" + what + "'");
        at_ += what.size();
    }
    std::string word(bool colons) {
        const std::size_t begin = at_;
        const auto fits = [&](char c) {
            const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
            return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || (colons && c == ':') ||
                   (digit && at_ > begin);
        };
        while (at_ < text_.size() && fits(text_[at_])) ++at_;
        if (at_ == begin) refuse("expected a name");
        return text_.substr(begin, at_ - begin);
    }
    std::string quoted() {
        expect("\"");
        std::string out;
        for (; at_ < text_.size() && text_[at_] != '"'; ++at_) {
            if (text_[at_] == '\n') refuse("a line ends within a label");
            if (text_[at_] != '\\') {
                out += text_[at_];
                continue;
            }
            const char c = text_.at(++at_);
            if (c != '\\' && c != '"' && c != 'n') refuse("no such escape");
            out += c == 'n' ? '\n' : c;
        }
        expect("\"");
        return out;
    }

    void line() {
        if (text_[at_] == '#') return comment();
        PrometheusSample sample;
        sample.name = word(true);
        if (sample.name != metric_ || !typed_) refuse("a sample of a metric that was not begun");
        if (text_.at(at_) == '{') {
            do {
                ++at_;
                const std::string label = word(false);
                expect("=");
                if (!sample.labels.emplace(label, quoted()).second) refuse("the label twice");
            } while (text_.at(at_) == ',');
            expect("}");
        }
        expect(" ");
        const std::size_t end = text_.find('\n', at_);
        std::size_t used = 0;
        sample.value = std::stod(text_.substr(at_, end - at_), &used);
        if (used != end - at_) refuse("no number");
        at_ = end + 1;
        if (!seen_.emplace(sample.name, sample.labels).second) refuse("the sample twice");
        samples_.push_back(std::move(sample));
    }
    void comment() {
        const bool help = text_.compare(at_, 7, "# HELP ") == 0;
        expect(help ? "# HELP " : "# TYPE ");
        const std::string name = word(true);
        expect(" ");
        const std::size_t end = text_.find('\n', at_);
        if (help) {
            if (!begun_.insert(name).second) refuse("the metric twice");
            if (text_.substr(at_, end - at_).find('\\') != std::string::npos) refuse("an escape in the help");
            metric_ = name;
            typed_ = false;
        } else {
            if (name != metric_ || typed_ || text_.substr(at_, end - at_) != "gauge") refuse("no such type here");
            typed_ = true;
        }
        at_ = end + 1;
    }

    std::string text_;
    std::size_t at_ = 0;
    std::string metric_;
    bool typed_ = false;
    std::set<std::string> begun_;
    std::set<std::pair<std::string, std::map<std::string, std::string>>> seen_;
    std::vector<PrometheusSample> samples_;
};

}  // namespace azlock::test
