// Sets the environment of the process as a test wants it, and restores it afterwards.
#pragma once

#include <cstdlib>
#include <map>
#include <optional>
#include <string>

namespace azlock::test {

// At first no variable that azlock reads is set. Tests must not run in parallel (Catch2 runs one after the other).
class Environment {
  public:
    Environment() {
        for (const char* name :
             {"AZURE_STORAGE_CONNECTION_STRING", "AZURE_STORAGE_ACCOUNT", "AZURE_STORAGE_KEY",
              "AZURE_STORAGE_SAS_TOKEN", "AZURE_STORAGE_AUTH_MODE", "AZURE_STORAGE_SERVICE_ENDPOINT", "AZURE_CLIENT_ID",
              "AZURE_TENANT_ID", "AZURE_CLIENT_SECRET", "AZURE_FEDERATED_TOKEN_FILE", "AZURE_TOKEN_CREDENTIALS",
              "AZURE_AUTHORITY_HOST", "AZLOCK_TOKEN_CACHE", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "HOME", "AZLOCK_URL",
              "AZLOCK_FENCE"}) {
            remember(name);
            unsetenv(name);
        }
    }
    ~Environment() {
        for (const auto& [name, value] : before_) {
            if (value) {
                setenv(name.c_str(), value->c_str(), 1);
            } else {
                unsetenv(name.c_str());
            }
        }
    }
    Environment(const Environment&) = delete;
    Environment& operator=(const Environment&) = delete;

    void set(const char* name, const std::string& value) {
        remember(name);
        setenv(name, value.c_str(), 1);
    }

  private:
    void remember(const char* name) {
        const char* value = std::getenv(name);
        before_.try_emplace(name, value != nullptr ? std::optional<std::string>(value) : std::nullopt);
    }

    std::map<std::string, std::optional<std::string>> before_;
};

}  // namespace azlock::test
