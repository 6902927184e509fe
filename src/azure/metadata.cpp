#include "azure/metadata.hpp"

#include "base/encoding.hpp"
#include "base/text.hpp"

namespace azlock::azure {
namespace {

bool is_plain(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte > 0x20 && byte < 0x7F && byte != '%';
}

}  // namespace

std::optional<std::string> find_metadata(const Metadata& metadata, std::string_view name) {
    for (const auto& [key, value] : metadata) {
        if (iequals(key, name)) return std::string(trim(value));
    }
    return std::nullopt;
}

void erase_metadata(Metadata& metadata, std::string_view name) {
    std::erase_if(metadata, [&](const auto& entry) { return iequals(entry.first, name); });
}

std::string encode_metadata_text(std::string_view text, std::size_t limit) {
    std::string out;
    std::size_t character = 0;  // where the last character begins in `out`
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        const bool continues = continues_character(text[i]);
        if (!continues) character = out.size();
        const bool blank = byte == ' ' && i > 0 && i + 1 < text.size() && text[i - 1] != ' ';
        if (blank || is_plain(text[i])) {
            out += text[i];
        } else {
            out += percent_encode(text.substr(i, 1));
        }
        if (out.size() > limit) {
            out.resize(character);
            break;
        }
    }
    return std::string(trim(out));
}

std::string encode_metadata_tail(std::string_view text, std::size_t limit) {
    std::size_t begin = text.size();
    for (std::size_t size = 0; begin > 0; --begin) {
        size += is_plain(text[begin - 1]) ? 1 : 3;
        if (size > limit) break;
    }
    return encode_metadata_text(text.substr(begin), limit);
}

std::string decode_metadata_text(const std::string& value) {
    return percent_decode(value).value_or(value);
}

}  // namespace azlock::azure
