// A queue box/jobs, and whole command lines over it.
#pragma once

#include "unit/cli/command_rig.hpp"

namespace azlock::test {

struct QueueCommandRig : CommandRig {
    explicit QueueCommandRig(Time time = Time::fake) : CommandRig(time) {}
    // Puts a task, and returns its id.
    std::string put(const std::string& content, const std::vector<std::string>& flags = {}) {
        std::vector<std::string> arguments{"queue", "put", "box/jobs", "-q"};
        arguments.insert(arguments.end(), flags.begin(), flags.end());
        const Ran ran = run(arguments, content);
        INFO(ran.err);
        REQUIRE(ran.code == 0);
        return ran.out.substr(0, ran.out.find('\n'));
    }
};

}  // namespace azlock::test
