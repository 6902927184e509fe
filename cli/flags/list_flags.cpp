#include "cli/flags/list_flags.hpp"

namespace azlock::cli {

void add_list_flags(Parser& command, ListFlags& flags, const std::vector<std::string>& orders,
                    const std::string& more) {
    std::string names;
    for (const std::string& order : orders) names += (names.empty() ? "" : "|") + order;
    command.add_option("--sort", flags.sort, "Order of the list (default name); the whole list is kept in memory")
        ->type_name(names)
        ->choices(orders);
    command.add_flag("--long", flags.more, more);
}

}  // namespace azlock::cli
