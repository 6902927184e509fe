// Finding the next task to try: a page of the listing serves many claims, and workers keep out of each other's way.
#pragma once

#include <mutex>
#include <optional>
#include <vector>

#include "azure/client.hpp"
#include "ops/queue/task.hpp"

namespace azlock::ops {

// Thread-safe. One thread lists, the others wait for it.
class QueueScanner {
  public:
    // Entries of one listing; fewer are for tests.
    static constexpr int kPageSize = 1000;
    // A page is not used for longer: what became ready or was put since then is to be seen, too.
    static constexpr std::chrono::seconds kPageLife{5};

    QueueScanner(azure::BlobClient& client, QueueName queue, int page_size = kPageSize)
        : client_(client), queue_(std::move(queue)), page_size_(page_size) {}

    // A task that was ready in the listing, of the most urgent ones there. nullopt: a whole listing has shown none.
    // Where nobody else is at work they come in the order of their names, else at random.
    [[nodiscard]] Result<std::optional<QueueTask>> next(const azure::Call& call);
    // What became of it: ours, or somebody else was there before.
    void took();
    void missed();
    // One that we had is finished or given back.
    void ended();

    // When the first of the delayed tasks that the last whole listing has shown becomes ready; kNoDeadline: there is
    // none.
    [[nodiscard]] BootTime next_due() const;

  private:
    [[nodiscard]] Status list(const azure::Call& call);
    [[nodiscard]] QueueTask pick();

    azure::BlobClient& client_;
    QueueName queue_;
    int page_size_;
    mutable std::mutex mutex_;
    std::vector<QueueTask> ready_;  // of the page, in the order of names
    std::string marker_;            // of the next page; empty: the next listing is a new one
    BootTime listed_{};
    std::size_t others_ = 0;  // tasks that others run, as far as this listing has shown
    std::size_t ours_ = 0;
    std::size_t hits_ = 0;  // since the listing began
    std::size_t misses_ = 0;
    bool handed_out_ = false;  // something of this listing
    BootTime due_ = kNoDeadline;
    BootTime due_so_far_ = kNoDeadline;
};

}  // namespace azlock::ops
