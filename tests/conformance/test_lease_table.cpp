// The whole lease table, state by action: five states of a lease, every action and every use of its id, on blobs and on
// containers. Expiry and everything else are in the other test_lease files.
#include <array>
#include <memory>

#include "support/catch.hpp"
#include "target.hpp"

namespace azlock::conformance {
namespace {

using std::chrono::milliseconds;

const std::string kA = "aaaaaaaa-1111-2222-3333-444444444444";
const std::string kB = "bbbbbbbb-1111-2222-3333-444444444444";
const std::string kC = "cccccccc-1111-2222-3333-444444444444";

constexpr std::array<const char*, 5> kStates{"available", "leased", "breaking", "broken", "expired"};

// Short names of the refusals for the tables below.
constexpr const char* kPresent = "409 LeaseAlreadyPresent";
constexpr const char* kMismatch = "409 LeaseIdMismatchWithLeaseOperation";
constexpr const char* kNotPresent = "409 LeaseNotPresentWithLeaseOperation";
constexpr const char* kCannotAcquire = "409 LeaseIsBreakingAndCannotBeAcquired";
constexpr const char* kCannotChange = "409 LeaseIsBreakingAndCannotBeChanged";
constexpr const char* kCannotRenew = "409 LeaseIsBrokenAndCannotBeRenewed";
constexpr const char* kSome409 = "409 *";  // the reference does not say which code
constexpr const char* kSome412 = "412 *";

// The outcome in each state, and after an arrow the next state if the state changes.
struct Row {
    const char* action;
    std::array<const char*, 5> cells;
};

// Lease A: 60 s if leased; broken with a period of 30 s if breaking. [Lease Blob]
const std::vector<Row> kActions{
    {"acquire", {"201 >leased", kPresent, kPresent, "201 >leased", "201 >leased"}},
    {"acquire A", {"201 >leased", "201 ", kCannotAcquire, "201 >leased", "201 >leased"}},
    {"acquire B", {"201 >leased", kPresent, kPresent, "201 >leased", "201 >leased"}},
    {"renew A", {kMismatch, "200 ", kCannotRenew, kCannotRenew, "200 >leased"}},
    {"renew B", {kMismatch, kMismatch, kMismatch, kMismatch, kMismatch}},
    {"change A B", {kNotPresent, "200 ", kCannotChange, kNotPresent, kSome409}},
    {"change B A", {kNotPresent, "200 ", kSome409, kSome409, kSome409}},
    {"change B C", {kNotPresent, kMismatch, kMismatch, kNotPresent, kSome409}},
    {"release A", {kMismatch, "200 >available", "200 >available", "200 >available", "200 >available"}},
    {"release B", {kMismatch, kMismatch, kMismatch, kMismatch, kMismatch}},
    {"break 0", {kNotPresent, "202 >broken", "202 >broken", "202 ", "202 >broken"}},
    {"break 10", {kNotPresent, "202 >breaking", "202 ", "202 ", "202 >broken"}},
    {"break", {kNotPresent, "202 >breaking", "202 ", "202 ", "202 >broken"}},
};

// Writes and reads of the blob with no id, A and B. [Lease Blob]
constexpr const char* kNoLease = "412 LeaseNotPresentWithBlobOperation";
constexpr const char* kNotThis = "412 LeaseIdMismatchWithBlobOperation";
constexpr const char* kMissing = "412 LeaseIdMissing";
const std::vector<Row> kBlobUses{
    {"write", {"ok", kMissing, kMissing, "ok>available", "ok>available"}},
    {"write A", {kNoLease, "ok", "ok", kSome412, kSome412}},
    {"write B", {kNoLease, kNotThis, kNotThis, kSome412, kSome412}},
    {"commit", {"ok", kMissing, kMissing, "ok>available", "ok>available"}},
    {"commit A", {kNoLease, "ok", "ok", kSome412, kSome412}},
    {"commit B", {kNoLease, kNotThis, kNotThis, kSome412, kSome412}},
    {"stage", {"ok", kMissing, kMissing, "ok>available", "ok>available"}},
    {"stage A", {kNoLease, "ok", "ok", kSome412, kSome412}},
    {"stage B", {kNoLease, kNotThis, kNotThis, kSome412, kSome412}},
    {"delete", {"ok>gone", kMissing, kMissing, "ok>gone", "ok>gone"}},
    {"delete A", {kNoLease, "ok>gone", "ok>gone", kSome412, kSome412}},
    {"delete B", {kNoLease, kNotThis, kNotThis, kSome412, kSome412}},
    {"read", {"ok", "ok", "ok", "ok", "ok"}},
    {"read A", {kNoLease, "ok", "ok", kNoLease, kNoLease}},
    {"read B", {kNoLease, kNotThis, kNotThis, kNoLease, kNoLease}},
};

// The container's own operations. Its lease guards only its deletion. [Lease Container]
constexpr const char* kNoContainerLease = "412 LeaseNotPresentWithContainerOperation";
constexpr const char* kNotThisContainer = "412 LeaseIdMismatchWithContainerOperation";
const std::vector<Row> kContainerUses{
    {"delete", {"ok>gone", kMissing, kMissing, "ok>gone", "ok>gone"}},
    {"delete A", {kNoContainerLease, "ok>gone", "ok>gone", kSome412, kSome412}},
    {"delete B", {kNoContainerLease, kNotThisContainer, kNotThisContainer, kSome412, kSome412}},
    {"read", {"ok", "ok", "ok", "ok", "ok"}},
    {"metadata", {"ok", "ok", "ok", "ok", "ok"}},
    {"write a blob", {"ok", "ok", "ok", "ok", "ok"}},
};

// "change A B" -> {"change", "A", "B"}
std::vector<std::string> words(std::string_view text) {
    std::vector<std::string> out(1);
    for (const char c : text) {
        if (c == ' ') {
            out.emplace_back();
        } else {
            out.back() += c;
        }
    }
    return out;
}

std::string id_of(const std::string& word) {
    return word == "A" ? kA : word == "B" ? kB : kC;
}

// One cell of a table: a blob, or a container with a blob in it, with its lease in one state.
class Cell {
  public:
    Cell(const Box& box, std::size_t number, bool container)
        : own_(container ? std::make_unique<Box>() : nullptr),
          path_(container ? own_->name() : box / ("cell-" + std::to_string(number))) {
        if (!container) put_blob(path_, "x");
    }

    void bring_to(const std::string& state) {
        if (state == "available") return;
        REQUIRE(outcome(acquire(path_, kA, state == "expired" ? "15" : "60", is_container())) == "201 ");
        const bool broken = state == "broken";
        if (!broken && state != "breaking") return;
        const auto done = act({{"x-ms-lease-action", "break"}, {"x-ms-lease-break-period", broken ? "0" : "30"}});
        REQUIRE(outcome(done) == "202 ");
    }

    http::Response lease_action(const std::string& text) const {
        const auto word = words(text);
        Fields fields = {{"x-ms-lease-action", word[0]}};
        if (word[0] == "acquire") fields.emplace_back("x-ms-lease-duration", "60");
        if (word[0] == "break" && word.size() > 1) fields.emplace_back("x-ms-lease-break-period", word[1]);
        if (word[0] != "break" && word.size() > 1) {
            fields.emplace_back(word[0] == "acquire" ? "x-ms-proposed-lease-id" : "x-ms-lease-id", id_of(word[1]));
        }
        if (word[0] == "change") fields.emplace_back("x-ms-proposed-lease-id", id_of(word[2]));
        return act(fields);
    }

    http::Response use(const std::string& text) const {
        const auto word = words(text);
        if (text == "write a blob") return put_blob(path_ + "/b", "y");
        Fields fields;
        if (word.size() > 1) fields.emplace_back("x-ms-lease-id", id_of(word[1]));
        if (word[0] == "write") return put_blob(path_, "y", fields);
        if (word[0] == "stage") return stage(path_, "MDAx", "y", fields);
        if (word[0] == "commit") return commit(path_, "", fields);
        if (word[0] == "delete") return service().del({.path = path_, .query = kind(), .headers = fields});
        if (word[0] == "read") return service().head({.path = path_, .query = kind(), .headers = fields});
        auto query = kind();
        query.emplace_back("comp", "metadata");
        return service().put({.path = path_, .query = query, .headers = {{"x-ms-meta-k", "v"}}});
    }

    [[nodiscard]] std::string state() const {
        const auto found = service().head({.path = path_, .query = kind()});
        return found.status == 404 ? "gone" : header(found, "x-ms-lease-state");
    }

  private:
    [[nodiscard]] bool is_container() const { return own_ != nullptr; }
    [[nodiscard]] Fields kind() const { return is_container() ? Fields{{"restype", "container"}} : Fields{}; }
    http::Response act(const Fields& fields) const { return lease(path_, fields, is_container()); }

    std::unique_ptr<Box> own_;
    std::string path_;
};

// True if the outcome is the one that the cell wants.
bool fits(const std::string& got, const std::string& wanted) {
    if (wanted == "ok") return got.starts_with("20");
    if (wanted == kSome412) {
        return one_of(got,
                      {"412 LeaseLost", "412 LeaseNotPresentWithBlobOperation", "412 LeaseIdMismatchWithBlobOperation",
                       "412 LeaseNotPresentWithContainerOperation", "412 LeaseIdMismatchWithContainerOperation"});
    }
    return wanted == kSome409 ? got.starts_with("409 Lease") : got == wanted;
}

// The published outcome, or Azurite's if it does not follow the table; with the source.
std::string expected(const std::string& action, const std::string& state, const std::string& published) {
    if (action == "renew B" && state == "expired") return rule(published, "200 >leased", "Azurite#2352");
    return published;
}

// All rows of one table, in all states.
class Table {
  public:
    enum class Rows { lease_actions, uses };

    // Cells for "expired" are leased now, all others when they are checked.
    Table(const std::vector<Row>& rows, bool container, Rows kind) : rows_(rows), container_(container), kind_(kind) {
        for (std::size_t i = 0; i < kStates.size() * rows.size(); ++i) {
            cells_.emplace_back(box_, i, container);
            if (state_of(i) == 4) cells_.back().bring_to("expired");
        }
    }
    void check() {
        for (std::size_t i = 0; i < cells_.size(); ++i) check_cell(i);
    }

  private:
    [[nodiscard]] std::size_t state_of(std::size_t cell) const { return cell / rows_.size(); }

    void check_cell(std::size_t i) {
        const Row& row = rows_[i % rows_.size()];
        Cell& cell = cells_[i];
        const std::string before = kStates.at(state_of(i));
        CAPTURE(container_, row.action, before);
        if (before != "expired") cell.bring_to(before);
        CHECK(cell.state() == before);

        std::string wanted = expected(row.action, before, row.cells.at(state_of(i)));
        std::string after = before;
        if (const std::size_t arrow = wanted.find('>'); arrow != std::string::npos) {
            after = wanted.substr(arrow + 1);
            wanted.erase(arrow);
        }
        const std::string got = outcome(kind_ == Rows::uses ? cell.use(row.action) : cell.lease_action(row.action));
        CAPTURE(wanted, got);
        CHECK(fits(got, wanted));
        CHECK(cell.state() == after);
    }

    const std::vector<Row>& rows_;
    bool container_;
    Rows kind_;
    Box box_;
    std::vector<Cell> cells_;
};

}  // namespace

TEST_CASE("every lease action and every use of a lease id in every state of the lease", "[slow]") {
    Table blob_actions(kActions, false, Table::Rows::lease_actions);
    Table container_actions(kActions, true, Table::Rows::lease_actions);
    Table blob_uses(kBlobUses, false, Table::Rows::uses);
    Table container_uses(kContainerUses, true, Table::Rows::uses);
    target().pass(milliseconds(15'500));
    for (Table* table : {&blob_actions, &container_actions, &blob_uses, &container_uses}) table->check();
}

}  // namespace azlock::conformance
