// The three kinds of service.
#include "target.hpp"

#include <cstdlib>
#include <stdexcept>

#include "base/text.hpp"
#include "http/cpprest_transport.hpp"
#include "support/azurite_process.hpp"
#include "support/fake_clock.hpp"
#include "support/fake_service.hpp"

namespace azlock::conformance {
namespace {

class FakeTarget final : public Target {
  public:
    [[nodiscard]] Kind kind() const override { return Kind::fake; }
    [[nodiscard]] const test::RawClient& client() const override { return client_; }
    [[nodiscard]] http::Transport& transport() override { return service_; }
    [[nodiscard]] const Clock& clock() const override { return clock_; }
    void pass(std::chrono::milliseconds span) override { clock_.advance(span); }

  private:
    test::FakeClock clock_;
    test::FakeService service_{clock_};
    test::RawClient client_{service_, clock_};
};

// Over the network, with the time of this machine.
class NetworkTarget : public Target {
  public:
    NetworkTarget(Kind kind, test::Endpoint endpoint) : kind_(kind), client_(make(), clock_, std::move(endpoint)) {}
    [[nodiscard]] Kind kind() const override { return kind_; }
    [[nodiscard]] const test::RawClient& client() const override { return client_; }
    [[nodiscard]] http::Transport& transport() override { return *transport_; }
    [[nodiscard]] const Clock& clock() const override { return clock_; }
    void pass(std::chrono::milliseconds span) override { clock_.wait_until(clock_.after(span), {}); }

  private:
    http::Transport& make() {
        auto made = http::make_cpprest_transport({});
        if (!made) throw std::runtime_error("no transport: " + made.error().message);
        transport_ = std::move(*made);
        return *transport_;
    }

    Kind kind_;
    SystemClock clock_;
    std::unique_ptr<http::Transport> transport_;
    test::RawClient client_;
};

test::Endpoint azurite_endpoint(std::uint16_t port) {
    test::Endpoint out;
    out.origin.port = port;
    return out;
}

// A base class of its own, so that the process starts before there are threads and ends after the last request.
struct AzuriteHolder {
    test::AzuriteProcess process;
};
class AzuriteTarget final : private AzuriteHolder, public NetworkTarget {
  public:
    AzuriteTarget() : NetworkTarget(Kind::azurite, azurite_endpoint(process.port())) {}
};

test::Endpoint account_endpoint(const std::string& connection_string) {
    test::Endpoint out;
    std::string suffix = "core.windows.net";
    for (const std::string_view part : split(connection_string, ';')) {
        const auto equals = part.find('=');
        if (equals == std::string_view::npos) continue;
        const std::string_view value = part.substr(equals + 1);
        const std::string key = to_lower(part.substr(0, equals));
        if (key == "accountname") out.account = value;
        if (key == "accountkey") out.key = value;
        if (key == "endpointsuffix") suffix = value;
    }
    out.base_path.clear();
    out.origin = {true, out.account + ".blob." + suffix, 443};
    return out;
}

Target* chosen_target = nullptr;

}  // namespace

std::unique_ptr<Target> make_target(const std::string& name) {
    if (name == "fake") return std::make_unique<FakeTarget>();
    if (name == "azurite") return std::make_unique<AzuriteTarget>();
    if (name != "account") throw std::runtime_error("no such target: " + name);
    const char* text = std::getenv("AZLOCK_TEST_CONNECTION_STRING");
    if (text == nullptr) throw std::runtime_error("AZLOCK_TEST_CONNECTION_STRING is not set");
    return std::make_unique<NetworkTarget>(Target::Kind::account, account_endpoint(text));
}

Target& target() {
    return *chosen_target;
}
void set_target(Target* chosen) {
    chosen_target = chosen;
}

bool on_azurite() {
    return target().kind() == Target::Kind::azurite;
}

std::string rule(std::string_view published, std::string_view azurite, std::string_view source) {
    static_cast<void>(source);  // only for the reader of the test
    return std::string(on_azurite() ? azurite : published);
}

bool one_of(const std::string& got, std::initializer_list<std::string_view> allowed) {
    for (const std::string_view one : allowed) {
        if (got == one) return true;
    }
    return false;
}

}  // namespace azlock::conformance
