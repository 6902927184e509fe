// A client with its pipeline over the fake blob service and a transport that can go wrong.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "azure/client.hpp"
#include "support/fake_clock.hpp"
#include "support/fake_service.hpp"
#include "support/faulty_transport.hpp"
#include "support/seeded_random.hpp"

namespace azlock::test {

struct ClientRig {
    explicit ClientRig(FakeOptions options = {})
        : service(clock, std::move(options)),
          faults(service, clock),
          pipeline(faults, clock, random, *azure::Credential::shared_key(kFakeAccount, Secret(kFakeKey)), {}),
          client(pipeline, {{false, "127.0.0.1", 10000}, std::string("/") + kFakeAccount, kFakeAccount}) {
        service.make_container("box");
    }

    FakeClock clock;
    SeededRandom random{1};
    FakeService service;
    FaultyTransport faults;
    azure::Pipeline pipeline;
    azure::BlobClient client;
};

// Keeps the bytes of a download.
class TextSink final : public http::BodySink {
  public:
    [[nodiscard]] bool begin(const http::Response&) override {
        ++begins;
        text.clear();
        return true;
    }
    [[nodiscard]] Status write(ByteView data) override {
        text.append(reinterpret_cast<const char*>(data.data()), data.size());
        return {};
    }
    std::string text;
    int begins = 0;
};

}  // namespace azlock::test
