// One azlock with a SAS that does not permit everything.
#pragma once

#include "unit/rig.hpp"

namespace azlock::test {

[[nodiscard]] inline std::string sas_with(const std::string& permissions) {
    return "sv=2023-11-03&sp=" + permissions + "&sig=c2lnbmF0dXJl";
}

// A service that takes this SAS, for what it permits.
[[nodiscard]] inline FakeOptions taking_sas(const std::string& permissions) {
    FakeOptions options;
    options.sas = sas_with(permissions);
    return options;
}

class SasActor {
  public:
    SasActor(http::Transport& transport, Clock& clock, const std::string& permissions,
             azure::PipelineOptions options = {})
        : pipeline_(transport, clock, random_, azure::Credential::sas(Secret(sas_with(permissions))).value(),
                    std::move(options)),
          client_(pipeline_, {{false, "127.0.0.1", 10000}, std::string("/") + kRigAccount, kRigAccount}) {}
    SasActor(const SasActor&) = delete;
    SasActor& operator=(const SasActor&) = delete;

    [[nodiscard]] azure::BlobClient& client() { return client_; }

  private:
    SeededRandom random_{5};
    azure::Pipeline pipeline_;
    azure::BlobClient client_;
};

}  // namespace azlock::test
