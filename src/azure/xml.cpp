#include "azure/xml.hpp"

#include <algorithm>
#include <vector>

#include <expat.h>

#include "http/transport_error.hpp"

namespace azlock::azure {
namespace {

constexpr std::size_t kMaxDepth = 32;
constexpr std::size_t kMaxText = 64 * 1024;
constexpr std::size_t kMaxPath = 1024;
constexpr std::size_t kSlice = 1 << 20;     // expat counts in int
constexpr std::size_t kMaxToken = 4 << 20;  // expat keeps a tag or comment until it is whole

}  // namespace

struct XmlReader::State {
    explicit State(Visitor& v) : visitor(v), parser(XML_ParserCreate(nullptr)) {}
    ~State() { XML_ParserFree(parser); }
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    struct Level {
        std::size_t path_length;
        std::string text;
        bool encoded;
    };

    void stop(const char* why) {
        if (problem.empty()) problem = why;
        XML_StopParser(parser, XML_FALSE);
    }

    // False after a stop: expat may still call handlers then.
    bool goes_on() {
        since_event = 0;
        return problem.empty();
    }

    [[nodiscard]] Status parse(const char* data, int size, bool last) {
        since_event += static_cast<std::size_t>(size);
        if (problem.empty() && XML_Parse(parser, data, size, last ? 1 : 0) != XML_STATUS_OK && problem.empty()) {
            problem = XML_ErrorString(XML_GetErrorCode(parser));
        }
        if (problem.empty() && since_event > kMaxToken) problem = "a tag or comment is too long";
        if (problem.empty()) return {};
        Error error = http::malformed_error("the service's answer is not the expected XML: " + problem);
        error.hint = "check for a proxy that answers instead of the service";
        return fail(std::move(error));
    }

    static void on_start(void* user, const XML_Char* name, const XML_Char** attributes) {
        auto& self = *static_cast<State*>(user);
        if (!self.goes_on()) return;
        if (self.levels.size() >= kMaxDepth || self.path.size() + std::string_view(name).size() > kMaxPath) {
            return self.stop("nested too deeply");
        }
        bool encoded = false;
        for (; attributes[0] != nullptr; attributes += 2) {
            encoded =
                encoded || (std::string_view(attributes[0]) == "Encoded" && std::string_view(attributes[1]) == "true");
        }
        self.levels.push_back({self.path.size(), {}, encoded});
        if (!self.path.empty()) self.path += '/';
        self.path += name;
        self.visitor.start(self.path);
    }

    static void on_end(void* user, const XML_Char* /*name*/) {
        auto& self = *static_cast<State*>(user);
        if (!self.goes_on()) return;
        const Level level = std::move(self.levels.back());
        self.levels.pop_back();
        self.visitor.end(self.path, level.text, level.encoded);
        self.path.resize(level.path_length);
    }

    static void on_text(void* user, const XML_Char* text, int length) {
        auto& self = *static_cast<State*>(user);
        if (!self.goes_on()) return;
        std::string& collected = self.levels.back().text;
        if (collected.size() + static_cast<std::size_t>(length) > kMaxText) return self.stop("a text is too long");
        collected.append(text, static_cast<std::size_t>(length));
    }

    static void on_doctype(void* user, const XML_Char* /*name*/, const XML_Char* /*system*/, const XML_Char* /*pub*/,
                           int /*internal*/) {
        static_cast<State*>(user)->stop("it has a DOCTYPE");
    }

    Visitor& visitor;
    XML_Parser parser;
    std::string path;
    std::vector<Level> levels;
    std::string problem;
    std::size_t since_event = 0;  // bytes fed since the last event
};

XmlReader::XmlReader(Visitor& visitor) : state_(std::make_unique<State>(visitor)) {
    XML_SetUserData(state_->parser, state_.get());
    XML_SetElementHandler(state_->parser, State::on_start, State::on_end);
    XML_SetCharacterDataHandler(state_->parser, State::on_text);
    XML_SetStartDoctypeDeclHandler(state_->parser, State::on_doctype);
}

XmlReader::~XmlReader() = default;

Status XmlReader::feed(ByteView data) {
    while (!data.empty()) {
        const std::size_t n = std::min(data.size(), kSlice);
        if (auto ok = state_->parse(reinterpret_cast<const char*>(data.data()), static_cast<int>(n), false); !ok)
            return ok;
        data = data.subspan(n);
    }
    return {};
}

Status XmlReader::finish() {
    return state_->parse("", 0, true);
}

}  // namespace azlock::azure
