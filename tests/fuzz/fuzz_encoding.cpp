// Base64, percent-encoding, UTF-8, text for the terminal, and redaction.
#include <array>

#include "base/encoding.hpp"
#include "base/secret.hpp"
#include "base/text.hpp"
#include "fuzz_support.hpp"

using namespace azlock;
using namespace azlock::fuzz;

namespace {

void check_base64(std::string_view text) {
    const auto decoded = base64_decode(base64_encode(as_bytes(text)));
    require(decoded && std::string_view(reinterpret_cast<const char*>(decoded->data()), decoded->size()) == text,
            "Base64 of any bytes is read back");
    if (const auto bytes = base64_decode(text)) {
        require(base64_encode(*bytes) == text, "there is one Base64 text for some bytes", text);
    }
}

void check_percent(std::string_view text) {
    require(percent_decode(percent_encode(text)) == text, "percent-encoding of any bytes is read back");
    require(percent_decode(percent_encode_path(text)) == text, "the same in a path");
    for (const std::string& encoded : {percent_encode(text), percent_encode_path(text)}) {
        for (const char c : encoded) {
            require(c > ' ' && c < 0x7F && std::string_view("?#&=+\"<>\\").find(c) == std::string_view::npos,
                    "nothing that means something in a URL is left", encoded);
        }
    }
    if (const auto decoded = percent_decode(text)) {
        require(percent_decode(percent_encode(*decoded)) == *decoded, "what was decoded can be encoded");
    }
}

void check_printable(std::string_view text) {
    const std::string shown = printable(text);
    require(is_utf8(shown), "printable text is UTF-8");
    require(is_one_line(shown), "printable text is one line");
    for (std::size_t i = 0; i + 1 < shown.size(); ++i) {
        require(shown[i] != '\xC2' || static_cast<unsigned char>(shown[i + 1]) >= 0xA0, "no C1 control is left", text);
    }
    require(printable(shown) == shown, "printable text stays as it is", text);
}

// Puts a secret at a place where secrets occur, with the input around it.
void check_redact(std::string_view text) {
    require(redact(redact(text)) == redact(text), "redact() is idempotent", text);
    constexpr std::string_view kSecret = "Zm9vU0VDUkVU0123";
    if (knows(text, kSecret)) return;
    constexpr std::array<std::string_view, 12> kPlaces{
        "?sig=",        "&sig=",           "%26sig%3D",          "%2526SIG%253d",
        ";AccountKey=", "AccountKey= ",    "AccountKey='",       ";SharedAccessSignature=sv=1&sig=",
        " Bearer ",     "\nsharedkey me:", " SharedKeyLite me:", "signature found in the HTTP request '"};
    constexpr std::array<std::string_view, 6> kAfter{"&", ";", " ", "'", "%26", "%3B"};
    if (text.empty()) return;
    // The input selects the place, and the text around the secret.
    const std::size_t choice = static_cast<unsigned char>(text.front()) * std::size_t{7} + text.size();
    const std::size_t cut = choice % text.size();
    std::string planted(text.substr(0, cut));
    planted += kPlaces[choice % kPlaces.size()];
    planted += kSecret;
    planted += kAfter[choice / kPlaces.size() % kAfter.size()];
    planted += text.substr(cut);
    const std::string clean = redact(planted);
    require(clean.find(kSecret) == std::string::npos, "no secret passes redact()", planted);
    require(redact(clean) == clean, "redact() is idempotent around a secret", planted);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text = as_text(data, size);
    check_base64(text);
    check_percent(text);
    check_printable(text);
    check_redact(text);
    return 0;
}
