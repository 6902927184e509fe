#include <cstdlib>

#include "cli/settings/transport_settings.hpp"
#include "support/catch.hpp"

using namespace azlock;

namespace {

// Sets a variable for one test; null: unsets it.
class Variable {
  public:
    Variable(const char* name, const char* value) : name_(name) {
        if (const char* before = std::getenv(name)) before_ = before;
        set(value);
    }
    ~Variable() { set(before_ ? before_->c_str() : nullptr); }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;

  private:
    void set(const char* value) const {
        if (value != nullptr) {
            setenv(name_, value, 1);
        } else {
            unsetenv(name_);
        }
    }

    const char* name_;
    std::optional<std::string> before_;
};

}  // namespace

TEST_CASE("HTTP_PROXY in upper case is ignored, because a CGI server sets it from a header of the request") {
    const Variable upper("HTTP_PROXY", "http://attacker.example");
    {
        const Variable lower("http_proxy", nullptr);
        CHECK(cli::transport_options({}).proxies.http_proxy.empty());
    }
    const Variable lower("http_proxy", "http://proxy.example");
    CHECK(cli::transport_options({}).proxies.http_proxy == "http://proxy.example");
}

TEST_CASE("all_proxy is for what has no proxy of its own, and a message names the variable") {
    const Variable all("all_proxy", "http://all.example");
    const Variable lower("https_proxy", nullptr);
    const Variable plain("http_proxy", "http://plain.example");
    {
        const Variable upper("HTTPS_PROXY", nullptr);
        const http::ProxySettings found = cli::transport_options({}).proxies;
        CHECK(found.https_proxy == "http://all.example");
        CHECK(found.https_variable == "all_proxy");
        CHECK(found.http_variable == "http_proxy");
    }
    const Variable upper("HTTPS_PROXY", "http://upper.example");
    CHECK(cli::transport_options({}).proxies.https_variable == "HTTPS_PROXY");
}

TEST_CASE("the proxy for https and the exceptions may be in upper case, but lower case goes first") {
    const Variable https("HTTPS_PROXY", "http://upper.example");
    const Variable none("NO_PROXY", "upper.example");
    {
        const Variable lower_https("https_proxy", nullptr);
        const Variable lower_none("no_proxy", "");
        CHECK(cli::transport_options({}).proxies.https_proxy == "http://upper.example");
        CHECK(cli::transport_options({}).proxies.no_proxy == "upper.example");
    }
    const Variable lower_https("https_proxy", "http://lower.example");
    const Variable lower_none("no_proxy", "lower.example");
    CHECK(cli::transport_options({}).proxies.https_proxy == "http://lower.example");
    CHECK(cli::transport_options({}).proxies.no_proxy == "lower.example");
}
