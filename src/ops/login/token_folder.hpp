// Tokens in files that nobody but this user can read, so that other azlocks of the user can take them.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "base/file.hpp"
#include "base/secret.hpp"

namespace azlock::ops {

// By the wall clock: files outlive processes.
struct KeptToken {
    Secret bearer;
    WallTime asked;
    WallTime ends;
    std::optional<WallTime> refresh = {};
};

class TokenFolder {
  public:
    // RUNTIME/azlock, which is made if it is missing. Error (config): one of the two is a symbolic link, belongs to
    // somebody else, or others may look into it; or RUNTIME is not an absolute path of a folder.
    [[nodiscard]] static Result<TokenFolder> open(const std::string& runtime);

    // nullopt: there is none of this name. Error (data): the file is not one that this wrote and nobody else can read.
    [[nodiscard]] Result<std::optional<KeptToken>> read(const std::string& name) const;
    // The file appears whole or not at all. Error: io.
    [[nodiscard]] Status write(const std::string& name, const KeptToken& token) const;
    // Held until the descriptor is closed. nullopt: another process holds it. An empty descriptor: there are no locks.
    [[nodiscard]] std::optional<Fd> try_lock(const std::string& name) const;

  private:
    explicit TokenFolder(Fd folder) : folder_(std::move(folder)) {}

    Fd folder_;
};

}  // namespace azlock::ops
