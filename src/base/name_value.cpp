#include "base/name_value.hpp"

#include "base/text.hpp"

namespace azlock {

Result<std::pair<std::string, std::string>> read_pair(std::string_view flag, std::string_view text,
                                                      std::string_view form) {
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos || equals == 0) {
        return fail(ErrorCode::usage,
                    std::string(flag) + ": " + in_quotes(text) + " is not of the form " + std::string(form));
    }
    return std::pair(std::string(text.substr(0, equals)), std::string(text.substr(equals + 1)));
}

}  // namespace azlock
