#include "os/exec_words.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

#include <unistd.h>

namespace azlock::os {
namespace {

std::string_view name_of(std::string_view entry) {
    return entry.substr(0, entry.find('='));
}

}  // namespace

std::vector<std::string> changed_environment(const std::vector<std::string>& changes) {
    std::vector<std::string> out;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const auto same = [&](const std::string& change) { return name_of(change) == name_of(*entry); };
        if (std::none_of(changes.begin(), changes.end(), same)) out.emplace_back(*entry);
    }
    std::copy_if(changes.begin(), changes.end(), std::back_inserter(out),
                 [](const std::string& change) { return change.find('=') != std::string::npos; });
    return out;
}

std::vector<char*> exec_pointers(const std::vector<std::string>& texts) {
    std::vector<char*> out;
    out.reserve(texts.size() + 1);
    for (const std::string& text : texts) out.push_back(const_cast<char*>(text.c_str()));
    out.push_back(nullptr);
    return out;
}

}  // namespace azlock::os
