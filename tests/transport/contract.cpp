#include "transport/contract.hpp"

#include <algorithm>
#include <cstring>

namespace azlock::test {
namespace {

constexpr std::size_t kPeriod = 1'000'003;  // a prime, so that no block boundary falls together with it

const std::string& pattern() {
    static const std::string text = [] {
        std::string made(kPeriod, '\0');
        std::uint32_t state = 1;
        for (char& c : made) {
            state = state * 1664525 + 1013904223;
            c = static_cast<char>(state >> 24);
        }
        return made;
    }();
    return text;
}

}  // namespace

http::TransportOptions trusting() {
    http::TransportOptions options;
    options.ca_file = test_root_file();
    return options;
}

const std::string& test_root_file() {
    static const TempDir directory;
    static const std::string path = directory.write("root.pem", test_root_pem());
    return path;
}

http::Request request_of(http::Method method, const http::Origin& origin, std::string path) {
    http::Request request;
    request.method = method;
    request.origin = origin;
    request.path = std::move(path);
    return request;
}

http::Request put_of(const http::Origin& origin, std::shared_ptr<const http::Body> body) {
    http::Request request = request_of(http::Method::put, origin);
    request.body = std::move(body);
    return request;
}

Deadline in(std::chrono::milliseconds span) {
    return SystemClock().after(span);
}

void PatternBody::fill(std::uint64_t offset, std::span<std::byte> out) {
    while (!out.empty()) {
        const std::size_t at = offset % kPeriod;
        const std::size_t count = std::min(out.size(), kPeriod - at);
        std::memcpy(out.data(), pattern().data() + at, count);
        out = out.subspan(count);
        offset += count;
    }
}

Result<std::size_t> PatternBody::read_at(std::uint64_t offset, std::span<std::byte> out) const {
    ++reads_;
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), size_ - offset));
    fill(offset, out.first(count));
    return count;
}

bool KeepingSink::begin(const http::Response& head) {
    ++begun;
    status = head.status;
    seen.clear();
    return take_;
}

Status KeepingSink::write(ByteView data) {
    ++writes;
    seen.append(reinterpret_cast<const char*>(data.data()), data.size());
    return {};
}

}  // namespace azlock::test
