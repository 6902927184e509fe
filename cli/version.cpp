#include "cli/version.hpp"

#include <CLI/Version.hpp>
#include <spdlog/version.h>

#include "azure/types.hpp"
#include "base/digest.hpp"
#include "http/cpprest_transport.hpp"

namespace azlock::cli {

std::string version() {
    return AZLOCK_VERSION;
}

std::string version_text() {
    return "azlock " AZLOCK_VERSION " (" AZLOCK_COMMIT ")\nBlob service API " + std::string(azure::kDefaultApiVersion) +
           "\ncpprestsdk " + http::cpprest_version() + ", " + crypto_version() + ", CLI11 " + CLI11_VERSION +
           ", spdlog " + std::to_string(SPDLOG_VER_MAJOR) + "." + std::to_string(SPDLOG_VER_MINOR) + "." +
           std::to_string(SPDLOG_VER_PATCH);
}

}  // namespace azlock::cli
