#include "ops/queue/look.hpp"

#include "base/quantity.hpp"
#include "ops/queue/find.hpp"

namespace azlock::ops {
namespace {

class WholeContent final : public DownloadTarget {
  public:
    explicit WholeContent(std::size_t most) : most_(most) {}
    Status write(ByteView data) override {
        if (data.size() > most_ - text_.size()) {
            return fail(ErrorCode::data, "the content is too large for JSON: more than " + format_bytes(most_),
                        "leave out --json");
        }
        text_.append(reinterpret_cast<const char*>(data.data()), data.size());
        return {};
    }
    bool restart() override {
        text_.clear();
        return true;
    }
    [[nodiscard]] std::string take() { return std::move(text_); }

  private:
    std::size_t most_;
    std::string text_;
};

Result<QueueTask> find_chosen(const Queue& queue, const TaskChoice& choice, const azure::Call& call) {
    if (choice.dead && choice.id.empty()) return fail(ErrorCode::usage, "--dead needs the ID of a dead letter");
    if (choice.id.empty()) return next_task(queue, call);
    return (choice.dead ? find_dead_letter : find_task)(queue, choice.id, call);
}

}  // namespace

Result<SeenTask> look_at_task(const Queue& queue, const TaskChoice& choice, const azure::Call& call) {
    auto task = find_chosen(queue, choice, call);
    if (!task) return fail(task.error());
    const auto ahead = service_clock_ahead(queue, call);
    if (!ahead) return fail(ahead.error());
    return SeenTask{std::move(*task), queue.many.clock().wall() + *ahead};
}

Result<QueueTask> peek_task(const Queue& queue, const TaskChoice& choice, DownloadTarget& target,
                            const TaskFound& found, const azure::Call& call) {
    auto task = find_chosen(queue, choice, call);
    if (!task) return task;
    found(*task);
    const auto got = download_blob(queue.many, task->blob, target, {}, call);
    if (!got) return fail(got.error());
    return task;
}

Result<TaskContent> peek_whole_task(const Queue& queue, const TaskChoice& choice, const TaskFound& found,
                                    const azure::Call& call, std::size_t most) {
    WholeContent content(most);
    auto task = peek_task(queue, choice, content, found, call);
    if (!task) return fail(task.error());
    return TaskContent{std::move(*task), content.take()};
}

}  // namespace azlock::ops
