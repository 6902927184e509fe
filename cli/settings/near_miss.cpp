#include "cli/settings/near_miss.hpp"

#include <utility>

#include "cli/settings/read_input.hpp"

namespace azlock::cli {
namespace {

constexpr std::pair<const char*, const char*> kMistaken[] = {
    {"AZURE_STORAGE_CONNECTION", "AZURE_STORAGE_CONNECTION_STRING"},
    {"AZURE_STORAGE_CONNECTIONSTRING", "AZURE_STORAGE_CONNECTION_STRING"},
    {"AZURE_CONNECTION_STRING", "AZURE_STORAGE_CONNECTION_STRING"},
    {"AZURE_STORAGEBLOB_CONNECTIONSTRING", "AZURE_STORAGE_CONNECTION_STRING"},
    {"AzureWebJobsStorage", "AZURE_STORAGE_CONNECTION_STRING"},
    {"AZURE_STORAGE_ACCOUNT_NAME", "AZURE_STORAGE_ACCOUNT"},
    {"AZURE_ACCOUNT_NAME", "AZURE_STORAGE_ACCOUNT"},
    {"AZURE_STORAGE_ACCOUNT_KEY", "AZURE_STORAGE_KEY"},
    {"AZURE_STORAGE_ACCESS_KEY", "AZURE_STORAGE_KEY"},
    {"AZURE_ACCOUNT_KEY", "AZURE_STORAGE_KEY"},
    {"AZURE_STORAGE_SAS", "AZURE_STORAGE_SAS_TOKEN"},
};

}  // namespace

std::string near_miss() {
    for (const auto& [mistaken, right] : kMistaken) {
        if (environment(mistaken).empty() || !environment(right).empty()) continue;
        return std::string(mistaken) + " is set, but azlock reads " + right;
    }
    return {};
}

}  // namespace azlock::cli
