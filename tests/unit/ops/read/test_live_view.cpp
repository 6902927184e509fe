// Looking again and again: what is shown, and when it ends.
#include "ops/read/live_view.hpp"
#include "support/catch.hpp"
#include "support/fake_clock.hpp"

namespace azlock::ops {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Shown = std::vector<std::string>;

// What each look finds, one second after the other; empty: the service does not answer.
struct LiveStory {
    explicit LiveStory(Shown finds) : found(std::move(finds)) {
        view.every = seconds(1);
        view.look = [this]() -> Result<Sight> {
            const std::string now = found.at(looks++);
            if (now.empty()) return fail(failure);
            return Sight{now, now + " at " + std::to_string(looks)};
        };
        view.show = [this](const Sight& sight) -> Status {
            shown.push_back(sight.text);
            return {};
        };
        view.blind = [this](const Error& error) { shown.push_back(error.message); };
    }
    Status run() {
        const auto span = seconds(1) * static_cast<int>(found.size()) - milliseconds(500);
        return watch_view(clock, view, {clock.after(span), stop.get_token()});
    }

    test::FakeClock clock;
    std::stop_source stop;
    Shown found;
    std::size_t looks = 0;
    Error failure = make_error(ErrorCode::unavailable, "no answer");
    LiveView view;
    Shown shown;
};

}  // namespace

TEST_CASE("each change is shown once, until the time is over") {
    LiveStory story({"a", "a", "b", "b", "a"});
    CHECK(story.run().error().code == ErrorCode::unavailable);
    CHECK(story.shown == Shown{"a at 1", "b at 3", "a at 5"});
    CHECK(story.clock.waits() == std::vector<std::chrono::nanoseconds>(4, seconds(1)));
}

TEST_CASE("on a screen each look is shown, because ages change") {
    LiveStory story({"a", "a", "b"});
    story.view.each_look = true;
    CHECK(!story.run());
    CHECK(story.shown == Shown{"a at 1", "a at 2", "b at 3"});
}

TEST_CASE("a service that does not answer is told once, and the watch goes on") {
    LiveStory story({"a", "", "", "a", "b", "", "b"});
    CHECK(!story.run());
    CHECK(story.shown == Shown{"a at 1", "no answer", "b at 5", "no answer"});
}

TEST_CASE("a watch ends with the error of the first look, with one that stays, of the screen, and with a stop") {
    LiveStory first({"", "a"});
    CHECK(first.run().error().message == "no answer");
    CHECK(first.looks == 1);
    LiveStory gone({"a", "", "a"});
    gone.failure.code = ErrorCode::not_found;
    CHECK(gone.run().error().code == ErrorCode::not_found);
    LiveStory closed({"a", "a"});
    closed.view.show = [](const Sight&) { return Status(fail(ErrorCode::io, "closed")); };
    CHECK(closed.run().error().code == ErrorCode::io);
    CHECK(closed.looks == 1);
    LiveStory stopped({"a", "a", "a"});
    stopped.view.show = [&](const Sight&) {
        stopped.stop.request_stop();
        return Status();
    };
    CHECK(stopped.run().error().code == ErrorCode::cancelled);
    CHECK(stopped.looks == 1);
    LiveStory busy({"a"});
    busy.view.every = milliseconds(10);
    CHECK(busy.run().error().code == ErrorCode::usage);
    CHECK(busy.looks == 0);
}

}  // namespace azlock::ops
