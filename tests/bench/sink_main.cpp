// A server that takes uploads and forgets their bytes, so that a client's own cost can be measured.
//   bench_sink [--latency MS] [--tls CERTIFICATE_FILE]
// Prints its port (127.0.0.1, picked by the kernel), and on TERM or INT what was asked of it, as JSON.
#include <chrono>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <string>
#include <thread>

#include <unistd.h>

#include "base/text.hpp"
#include "bench/sink_blobs.hpp"
#include "support/wire_server.hpp"

using namespace azlock;

namespace {

struct Options {
    std::chrono::milliseconds latency{0};
    std::string certificate;  // empty: plain http
};

bool parse(int argc, char** argv, Options& options) {
    for (int i = 1; i < argc; i += 2) {
        const std::string name = argv[i];
        if (i + 1 == argc) return false;
        if (name == "--tls") {
            options.certificate = argv[i + 1];
        } else if (const auto ms = parse_u64(argv[i + 1]); name == "--latency" && ms && *ms <= 60'000) {
            options.latency = std::chrono::milliseconds(*ms);
        } else {
            return false;
        }
    }
    return true;
}

bool reply(test::Wire& wire, const bench::SinkReply& reply) {
    const std::uint64_t length = reply.length_only ? reply.body_length : reply.body.size();
    return wire.send("HTTP/1.1 " + std::to_string(reply.status) + " Sink\r\nContent-Length: " + std::to_string(length) +
                     "\r\n" + reply.headers + "\r\n" + reply.body);
}

void serve(test::Wire& wire, bench::SinkBlobs& blobs, std::chrono::milliseconds latency) {
    while (const auto request = wire.read_head()) {
        const std::uint64_t length = request->content_length();
        std::string body;
        if (iequals(request->headers.get("Expect"), "100-continue")) wire.send("HTTP/1.1 100 Continue\r\n\r\n");
        if (bench::SinkBlobs::wants_body(*request)) {
            body = wire.read_body(length);
            if (body.size() != length) return;
        } else if (wire.skip_body(length) != length) {
            return;
        }
        if (latency.count() > 0) std::this_thread::sleep_for(latency);
        auto answer = blobs.answer(*request, body);
        if (request->method == "HEAD") answer.body.clear();
        if (!reply(wire, answer)) return;
    }
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    if (!parse(argc, argv, options)) {
        std::fputs("Usage: bench_sink [--latency MS] [--tls CERTIFICATE_FILE]\n", stderr);
        return 64;
    }
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGINT);
    ::pthread_sigmask(SIG_BLOCK, &ends, nullptr);

    bench::SinkBlobs blobs;
    test::WireOptions wire_options;
    wire_options.tls = !options.certificate.empty();
    test::WireServer server([&](test::Wire& wire) { serve(wire, blobs, options.latency); }, wire_options);
    if (wire_options.tls) {
        std::ofstream file(options.certificate);
        file << test::test_root_pem();
        if (!file.flush()) {
            std::fprintf(stderr, "bench_sink: cannot write '%s'\n", options.certificate.c_str());
            return 74;
        }
    }
    std::printf("%d\n", server.port());
    std::fflush(stdout);
    int signal = 0;
    ::sigwait(&ends, &signal);
    std::printf("%s\n", blobs.report().c_str());
    std::fflush(stdout);
    ::_exit(0);  // connections may still be open
}
