#include "http/message.hpp"

#include <algorithm>
#include <cstring>

#include <arpa/inet.h>

#include "base/text.hpp"

namespace azlock::http {
namespace {

class StringBody final : public Body {
  public:
    explicit StringBody(std::string bytes) : bytes_(std::move(bytes)) {}
    [[nodiscard]] std::uint64_t size() const override { return bytes_.size(); }
    [[nodiscard]] Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> out) const override {
        if (offset >= bytes_.size() || out.empty()) return std::size_t{0};
        const std::size_t n = std::min<std::size_t>(out.size(), bytes_.size() - offset);
        std::memcpy(out.data(), bytes_.data() + offset, n);
        return n;
    }

  private:
    std::string bytes_;
};

}  // namespace

std::string_view to_string(Method method) {
    switch (method) {
        case Method::get: return "GET";
        case Method::head: return "HEAD";
        case Method::put: return "PUT";
        case Method::post: return "POST";
        case Method::del: return "DELETE";
    }
    return "GET";
}

void Headers::set(std::string_view name, std::string value) {
    for (Field& field : fields_) {
        if (iequals(field.first, name)) {
            field.second = std::move(value);
            return;
        }
    }
    fields_.emplace_back(std::string(name), std::move(value));
}

void Headers::remove(std::string_view name) {
    std::erase_if(fields_, [&](const Field& field) { return iequals(field.first, name); });
}

const std::string* Headers::find(std::string_view name) const {
    for (const Field& field : fields_) {
        if (iequals(field.first, name)) return &field.second;
    }
    return nullptr;
}

std::string_view Headers::get(std::string_view name) const {
    const std::string* value = find(name);
    return value != nullptr ? std::string_view(*value) : std::string_view{};
}

std::shared_ptr<const Body> make_body(std::string bytes) {
    return std::make_shared<StringBody>(std::move(bytes));
}

bool is_ip_address(std::string_view host) {
    if (host.find('\0') != std::string_view::npos) return false;  // inet_pton() would not see what follows
    in6_addr bytes{};
    return inet_pton(AF_INET, std::string(host).c_str(), &bytes) == 1 ||
           inet_pton(AF_INET6, std::string(host).c_str(), &bytes) == 1;
}

std::string Origin::authority() const {
    std::string out = host.find(':') != std::string::npos ? "[" + host + "]" : host;
    if (port != (tls ? 443 : 80)) out += ":" + std::to_string(port);
    return out;
}

std::string Origin::to_string() const {
    return (tls ? "https://" : "http://") + authority();
}

std::string Request::wire_target() const {
    std::string out = path;
    const auto add = [&out](const std::string& text) {
        out += (out.find('?') == std::string::npos ? '?' : '&') + text;
    };
    for (const auto& [name, value] : query) add(percent_encode(name) + '=' + percent_encode(value));
    if (!secret_query.empty()) add(secret_query.reveal());
    return out;
}

std::string Request::loggable_target() const {
    return redact(wire_target());
}

}  // namespace azlock::http
