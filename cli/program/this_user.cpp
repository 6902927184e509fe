#include "cli/program/this_user.hpp"

#include <pwd.h>
#include <unistd.h>

#include "base/secret.hpp"
#include "cli/settings/read_input.hpp"

namespace azlock::cli {
namespace {

std::string user_name() {
    const passwd* entry = getpwuid(geteuid());
    return entry != nullptr ? entry->pw_name : std::to_string(geteuid());
}

std::string host_name() {
    std::string name(256, '\0');
    if (gethostname(name.data(), name.size() - 1) != 0) return {};
    name.resize(name.find('\0'));
    return name;
}

// The URL of the CI run if the CI system gives one, else the id of the run; empty outside CI.
std::string ci_run() {
    for (const char* url : {"CI_JOB_URL", "BUILD_URL", "CIRCLE_BUILD_URL", "BUILDKITE_BUILD_URL"}) {
        if (!environment(url).empty()) return environment(url);
    }
    const std::string github = environment("GITHUB_RUN_ID");
    const std::string repository = environment("GITHUB_REPOSITORY");
    const std::string server = environment("GITHUB_SERVER_URL");
    if (!github.empty() && !repository.empty() && !server.empty()) {
        return server + "/" + repository + "/actions/runs/" + github;
    }
    return github.empty() ? environment("BUILD_BUILDID") : github;
}

}  // namespace

ops::OwnerRecord this_user() {
    ops::OwnerRecord out;
    out.owner = user_name();
    out.host = host_name();
    out.run = redact(ci_run());
    return out;
}

ops::OwnerRecord this_run(const std::string& command) {
    ops::OwnerRecord out = this_user();
    out.pid = static_cast<std::uint64_t>(getpid());
    out.command = command;
    return out;
}

}  // namespace azlock::cli
