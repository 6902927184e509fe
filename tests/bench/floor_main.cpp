// The least that an upload can cost on this machine: raw sockets, OpenSSL, azlock's checksums, and nothing else.
#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/resource.h>

#include "base/quantity.hpp"
#include "base/text.hpp"
#include "bench/floor_work.hpp"

using namespace azlock;

namespace {

constexpr const char* kUsage =
    "Usage: bench_floor [OPTION]... URL FILE       sends FILE in blocks, and commits them\n"
    "       bench_floor [OPTION]... URL --small N  sends N small blobs, URL0, URL1, ...\n"
    "\n"
    "URL is http://ADDRESS:PORT/PATH, or https with --ca.\n"
    "  --threads N         connections, each with a thread of its own (default 4)\n"
    "  --hash NAME         sha256 (default), xxh3, or none: no CRC64 either\n"
    "  --block-size BYTES  default 8388608\n"
    "  --size BYTES        of a small blob (default 4096)\n"
    "  --ca FILE           certificate to trust\n"
    "Prints CPU seconds, wall seconds, the largest resident size and the number of requests as JSON.\n";

struct Options {
    bench::FloorWork work;
    std::string file;
    std::string ca;
    std::optional<std::uint64_t> small;
    std::uint64_t size = 4096;
    bool tls = false;
};

bool parse_url(std::string_view url, Options& options) {
    for (const std::string_view scheme : {"http://", "https://"}) {
        if (!url.starts_with(scheme)) continue;
        const std::string_view rest = url.substr(scheme.size());
        const std::size_t slash = rest.find('/');
        const std::size_t colon = rest.find(':');
        if (slash == std::string_view::npos || colon > slash) return false;
        const auto port = parse_u64(rest.substr(colon + 1, slash - colon - 1));
        if (!port || *port == 0 || *port > 65535) return false;
        options.work.server.address = rest.substr(0, colon);
        options.work.server.port = static_cast<std::uint16_t>(*port);
        options.work.path = rest.substr(slash);
        options.tls = scheme.size() == 8;
        return true;
    }
    return false;
}

bool parse_option(std::string_view name, const std::string& value, Options& options) {
    if (name == "--ca") {
        options.ca = value;
        return true;
    }
    if (name == "--hash") {
        options.work.hash = value == "xxh3"   ? bench::BlockHash::xxh3
                            : value == "none" ? bench::BlockHash::none
                                              : bench::BlockHash::sha256;
        return value == "sha256" || value == "xxh3" || value == "none";
    }
    const auto number = parse_u64(value);
    if (!number || *number == 0) return false;
    if (name == "--threads" && *number <= 256) {
        options.work.threads = *number;
    } else if (name == "--block-size" && *number <= (std::uint64_t{1} << 30U)) {
        options.work.block_size = *number;
    } else if (name == "--size" && *number <= (std::uint64_t{1} << 30U)) {
        options.size = *number;
    } else if (name == "--small") {
        options.small = *number;
    } else {
        return false;
    }
    return true;
}

std::optional<Options> parse(int argc, char** argv) {
    Options options;
    std::vector<std::string> names;
    for (int i = 1; i < argc; ++i) {
        const std::string argument = argv[i];
        if (!argument.starts_with("--")) {
            names.push_back(argument);
        } else if (++i == argc || !parse_option(argument, argv[i], options)) {
            return std::nullopt;
        }
    }
    if (names.size() != (options.small ? 1U : 2U) || !parse_url(names[0], options)) return std::nullopt;
    if (options.tls == options.ca.empty()) return std::nullopt;
    if (!options.small) options.file = names[1];
    return options;
}

double seconds(const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

}  // namespace

int main(int argc, char** argv) {
    auto options = parse(argc, argv);
    if (!options) {
        std::fputs(kUsage, stderr);
        return 64;
    }
    std::signal(SIGPIPE, SIG_IGN);
    const auto start = std::chrono::steady_clock::now();
    std::uint64_t requests = 0;
    try {
        if (options->tls) options->work.server.tls = bench::make_tls(options->ca);
        requests = options->small ? bench::send_small(options->work, *options->small, options->size)
                                  : bench::send_file(options->work, options->file);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "bench_floor: %s\n", error.what());
        return 69;
    }
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    std::printf("{\"cpu_seconds\": %.3f, \"wall_seconds\": %.3f, \"max_rss_bytes\": %ld, \"requests\": %llu}\n",
                seconds(usage.ru_utime) + seconds(usage.ru_stime), wall.count(), usage.ru_maxrss * 1024,
                static_cast<unsigned long long>(requests));
    return 0;
}
