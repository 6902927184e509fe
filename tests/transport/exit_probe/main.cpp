// Makes HTTPS requests and ends the way main() does: flush, then _exit(). transport/test_exit.cpp runs it hundreds of
// times.
//   exit_probe CA_FILE PORT            one request, which gets an answer
//   exit_probe CA_FILE PORT in-flight  several requests without an answer; ends as soon as the server has them
#include <cstdio>
#include <string>
#include <thread>

#include <unistd.h>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "http/cpprest_transport.hpp"

using namespace azlock;

namespace {

http::Request request_to(std::uint16_t port, http::Method method) {
    http::Request request;
    request.method = method;
    request.origin = {true, "127.0.0.1", port};
    return request;
}

int run(const std::string& ca_file, std::uint16_t port, bool in_flight) {
    init_crypto();
    http::TransportOptions options;
    options.ca_file = ca_file;
    const auto transport = http::make_cpprest_transport(options);
    if (!transport) return 2;
    if (in_flight) {
        for (int i = 0; i < 4; ++i) {
            std::thread([&transport, port] {
                (void)(*transport)->send(request_to(port, http::Method::put), kNoDeadline, {});
            }).detach();
        }
        std::getchar();  // the test says when the server has them all
        std::fflush(stdout);
        ::_exit(0);
    }
    const auto answer =
        (*transport)->send(request_to(port, http::Method::get), SystemClock().after(std::chrono::seconds(30)), {});
    if (!answer) std::fprintf(stderr, "%s\n", answer.error().message.c_str());
    std::fflush(stdout);
    ::_exit(answer && answer->status == 200 ? 0 : 1);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) return 64;
    const auto port = parse_u64(argv[2]);
    return port ? run(argv[1], static_cast<std::uint16_t>(*port), argc > 3) : 64;
}
