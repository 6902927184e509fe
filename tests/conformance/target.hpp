// The service that the conformance cases are run on: the fake, Azurite or a real account.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "support/raw_request.hpp"

namespace azlock::conformance {

using test::Ask;
using test::outcome;

class Target {
  public:
    enum class Kind { fake, azurite, account };

    virtual ~Target() = default;
    [[nodiscard]] virtual Kind kind() const = 0;
    [[nodiscard]] virtual const test::RawClient& client() const = 0;
    [[nodiscard]] virtual http::Transport& transport() = 0;
    [[nodiscard]] virtual const Clock& clock() const = 0;
    // Lets time pass: really, or in the fake's clock.
    virtual void pass(std::chrono::milliseconds span) = 0;
};

// `name`: "fake", "azurite" or "account" (AZLOCK_TEST_CONNECTION_STRING). Throws if the service is not available.
[[nodiscard]] std::unique_ptr<Target> make_target(const std::string& name);

// The one that main() chose.
[[nodiscard]] Target& target();
void set_target(Target* chosen);
[[nodiscard]] inline const test::RawClient& service() {
    return target().client();
}

// The outcome ("412 ConditionNotMet") that the published rule asks for, or what Azurite 3.35 does instead. `source`
// says where the rule is published, or which issue of Azurite is about the difference.
[[nodiscard]] std::string rule(std::string_view published, std::string_view azurite, std::string_view source);
// True if `got` is one of the allowed outcomes. For rules of which nobody has published the exact outcome.
[[nodiscard]] bool one_of(const std::string& got, std::initializer_list<std::string_view> allowed);
// For checks of published rules that Azurite does not follow at all.
[[nodiscard]] bool on_azurite();

// A container for one test case, deleted at its end.
class Box {
  public:
    Box();
    ~Box();
    Box(const Box&) = delete;
    Box& operator=(const Box&) = delete;

    [[nodiscard]] const std::string& name() const { return name_; }
    // "container/blob"
    [[nodiscard]] std::string operator/(std::string_view blob) const { return name_ + "/" + std::string(blob); }

  private:
    std::string name_;
};
// A container name that nobody has used.
[[nodiscard]] std::string fresh_name();

using Fields = std::vector<std::pair<std::string, std::string>>;

// The requests that every file needs; each returns the answer.
http::Response put_blob(const std::string& path, const std::string& content = {}, const Fields& headers = {});
http::Response put_append_blob(const std::string& path, const Fields& headers = {});
http::Response append(const std::string& path, const std::string& content, const Fields& headers = {});
http::Response stage(const std::string& path, const std::string& id, const std::string& content,
                     const Fields& headers = {});
// `entries`: the XML of the entries, such as "<Latest>id</Latest>".
http::Response commit(const std::string& path, const std::string& entries, const Fields& headers = {});
http::Response block_list(const std::string& path, const std::string& type = "all", const Fields& headers = {});
http::Response set_metadata(const std::string& path, const Fields& headers = {});
http::Response get(const std::string& path, const Fields& headers = {});
http::Response head(const std::string& path, const Fields& headers = {});
http::Response del(const std::string& path, const Fields& headers = {});
// Lease requests on a blob, or on a container if `container` is true.
http::Response lease(const std::string& path, const Fields& headers, bool container = false);
http::Response acquire(const std::string& path, const std::string& id, const std::string& seconds = "-1",
                       bool container = false);

[[nodiscard]] std::string header(const http::Response& response, std::string_view name);
[[nodiscard]] std::string etag_of(const std::string& path);

}  // namespace azlock::conformance
