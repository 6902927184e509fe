// A command line that the grammar refuses: the message names the first word that has no place, and what was meant.
#include "unit/cli/command_rig.hpp"

namespace azlock::test {

TEST_CASE("a word without a place is named, with what was probably meant") {
    struct Row {
        std::string line;
        std::string says;
    };
    const std::vector<Row> rows{
        {"uplaod a b/c", "'azlock' has no command 'uplaod'; do you mean 'azlock upload'?"},
        {"lease brake x", "'azlock lease' has no command 'brake'; do you mean 'azlock lease break'?"},
        {"lease xyzzy", "'azlock lease' has no command 'xyzzy'; it has acquire, renew, "},
        {"queue", "'azlock queue' needs a command; one of put, work, "},
        {"ls", "'azlock list' lists blobs and containers"},
        {"cp a b", "'azlock upload FILE CONTAINER/BLOB' or 'azlock download"},
        {"rm b/c", "'azlock delete CONTAINER/BLOB' deletes"},
        {"cat b/c", "'azlock download CONTAINER/BLOB -' prints a blob"},
        {"mv a b", "azlock has no command that moves a blob"},
        {"xyzzy", "'azlock' has no command 'xyzzy'; see 'azlock --help'"},
        {"upload --overwite a b/c", "'azlock upload' has no option '--overwite'; do you mean '--no-overwrite'?"},
        {"upload --concurency=4 a b/c", "no option '--concurency'; do you mean '--concurrency'?"},
        {"--jsno list", "'azlock list' has no option '--jsno'; do you mean '--json'?"},
        {"show b/c -X", "'azlock show' has no option '-X'; see 'azlock show --help'"},
        {"show b/c d/e", "'d/e' is one argument too many; it takes TARGET"},
        {"show b/c -vv d/e", "'d/e' is one argument too many"},
        {"version b", "'b' is one argument too many; 'azlock version' takes none"},
        {"lock deploy ls -l", "'--' must come before the command to run; as in: azlock lock deploy -- ls -l"},
        {"lock -w5s deploy ./x.sh", "as in: azlock lock -w5s deploy -- ./x.sh"},
        {"elect x y", "as in: azlock elect x -- y"},
        {"lock a b -- true", "'b' is one argument too many; it takes NAME"},
        {"upload a b/c --tier Hott", "--tier: 'Hott' is not one of Hot, Cool, Cold, Archive; do you mean 'Hot'?"},
        {"help lease brake", "do you mean 'azlock lease break'?"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.line);
        CommandRig rig;
        const Ran ran = rig.run(words_of("azlock " + row.line));
        INFO(ran.err);
        CHECK(ran.code == 64);
        CHECK(ran.out.empty());
        CHECK(ran.err.starts_with("azlock: "));
        CHECK(ran.err.find(row.says) != std::string::npos);
        CHECK(std::count(ran.err.begin(), ran.err.end(), '\n') == 1);
        CHECK(rig.service.requests() == 0);
    }
}

TEST_CASE("the corrected line can be pasted") {
    CommandRig rig;
    const Ran ran = rig.run({"lock", "my lock", "echo", "a b"});
    CHECK(ran.err.find("as in: azlock lock 'my lock' -- echo 'a b'") != std::string::npos);
}

}  // namespace azlock::test
