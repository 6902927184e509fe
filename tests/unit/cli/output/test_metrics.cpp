// Metrics in the text format of Prometheus.
#include "cli/output/metrics.hpp"
#include "support/catch.hpp"
#include "unit/cli/prometheus_text.hpp"

namespace azlock::cli {

TEST_CASE("metrics have their help and type first, and each sample its labels") {
    Metrics metrics;
    metrics.gauge("azlock_things", "How many there are.");
    metrics.sample({}, std::uint64_t{18'446'744'073'709'551'615U});
    metrics.sample({{"place", "jobs"}, {"state", "ready"}}, std::uint64_t{2});
    metrics.gauge("azlock_age_seconds", "How old it is.");
    metrics.sample({{"place", "jobs"}}, std::chrono::milliseconds(12'345'678));
    CHECK(metrics.text() ==
          "# HELP azlock_things How many there are.\n"
          "# TYPE azlock_things gauge\n"
          "azlock_things 18446744073709551615\n"
          "azlock_things{place=\"jobs\",state=\"ready\"} 2\n"
          "# HELP azlock_age_seconds How old it is.\n"
          "# TYPE azlock_age_seconds gauge\n"
          "azlock_age_seconds{place=\"jobs\"} 12345.678\n");
}

TEST_CASE("the value of a label may be any text") {
    for (const std::string text : {"a\"b", "a\\b", "a\\nb", "two\nlines", "\\", "{x=\"y\"} 1", "über", ""}) {
        CAPTURE(text);
        Metrics metrics;
        metrics.gauge("azlock_things", "x");
        metrics.sample({{"name", text}}, std::uint64_t{1});
        const test::PrometheusText read(metrics.text());
        REQUIRE(read.samples().size() == 1);
        CHECK(read.samples().front().labels.at("name") == text);
    }
    Metrics metrics;
    metrics.gauge("azlock_things", "x");
    metrics.sample({{"name", "no UTF-8: \xff"}}, std::uint64_t{1});
    CHECK(test::PrometheusText(metrics.text()).samples().front().labels.at("name") == "no UTF-8: \\xFF");
}

}  // namespace azlock::cli
