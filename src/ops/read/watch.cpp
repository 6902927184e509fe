#include "ops/read/watch.hpp"

#include <unistd.h>

#include "ops/read/etag_file.hpp"
#include "os/exit_status.hpp"
#include "os/supervised_command.hpp"

namespace azlock::ops {
namespace {

using Kind = WatchEvent::Kind;

class Watch {
  public:
    Watch(azure::BlobClient& client, const azure::BlobAddress& blob, const WatchOptions& options,
          const WatchObserver& observer, os::SignalSource& signals)
        : options_(options),
          observer_(observer),
          signals_(signals),
          clock_(client.clock()),
          target_(blob.to_string()),
          looks_(client, blob, options.interval) {}

    WatchEnd run(const azure::Call& call) {
        Status status = begin();
        while (status && !ended_) {
            auto event = looks_.next_until(failed_ ? run_again_ : kNoDeadline, call);
            if (!event) {
                status = fail(event.error());
            } else {
                status = *event ? handle(std::move(**event)) : run_command(*std::exchange(failed_, std::nullopt));
            }
        }
        return {status, exit_code_};
    }

  private:
    Status begin() {
        if (options_.interval.count() == 0) return fail(ErrorCode::usage, "--interval: must be more than 0");
        if (options_.retry && options_.retry->count() == 0) {
            return fail(ErrorCode::usage, "--retry: must be more than 0");
        }
        if (!options_.etag_file.empty() && ::access(options_.etag_file.c_str(), F_OK) == 0) {
            auto etag = read_etag_file(options_.etag_file);
            if (!etag) return fail(etag.error());
            looks_.set_seen(std::move(*etag));
        } else if (options_.initial) {
            looks_.set_seen({});
        }
        return {};
    }

    Status handle(WatchEvent event) {
        if (auto ok = observer_.on_event(event); !ok) return ok;
        const bool deleted = event.kind == Kind::deleted;
        if (event.kind == Kind::changed || deleted) failed_.reset();
        if (event.kind == Kind::changed || (deleted && !options_.on_delete.empty())) {
            return run_command(std::move(event));
        }
        return event.kind == Kind::watching || deleted ? save(event) : Status();
    }

    Status run_command(WatchEvent event) {
        const auto input = event.content ? event.content->reader() : open_input("/dev/null");
        if (!input) return fail(input.error());
        os::ChildOptions child{options_.command};
        if (event.kind == Kind::deleted) child.argv = {"/bin/sh", "-c", options_.on_delete};
        child.environment_changes = {"AZLOCK_BLOB=" + target_, "AZLOCK_ETAG=" + event.etag};
        child.input = input->get();
        child.output_to_errors = options_.output_to_errors;
        const BootTime start = clock_.now();
        const auto end = os::run_supervised(std::move(child), options_.kill_after, signals_, clock_);
        if (!end) {
            exit_code_ = os::exit_code_of(os::start_failure(end.error()));
            return fail(end.error());
        }
        if (*end) {
            const bool again = options_.retry && (*end)->code != 0 && signals_.asked() == 0;
            if (auto ok = observer_.on_end(event, **end, clock_.now() - start, again ? options_.retry : std::nullopt);
                !ok)
                return ok;
            if (again) {
                run_again_ = clock_.after(*options_.retry);
                failed_ = std::move(event);
                return {};
            }
            if (auto ok = (*end)->code == 0 ? save(event) : Status(); !ok) return ok;
        }
        if (const int asked = signals_.asked(); asked != 0) {
            exit_code_ = 128 + asked;
            return *end ? fail(ErrorCode::cancelled, "stopped by a signal; the command has ended")
                        : fail(stopped_by_signal());
        }
        ended_ = options_.once;
        if (ended_) exit_code_ = (*end)->code;
        return {};
    }

    [[nodiscard]] Status save(const WatchEvent& event) const {
        if (options_.etag_file.empty()) return {};
        return save_etag_file(options_.etag_file, event.kind == Kind::deleted ? "" : event.etag);
    }

    const WatchOptions& options_;
    const WatchObserver& observer_;
    os::SignalSource& signals_;
    Clock& clock_;
    std::string target_;
    BlobWatch looks_;
    std::optional<WatchEvent> failed_;  // its command runs again at run_again_
    BootTime run_again_{};
    bool ended_ = false;
    std::optional<int> exit_code_;
};

}  // namespace

WatchEnd watch_blob(azure::BlobClient& client, const azure::BlobAddress& blob, const WatchOptions& options,
                    const WatchObserver& observer, os::SignalSource& signals, const azure::Call& call) {
    return Watch(client, blob, options, observer, signals).run(call);
}

}  // namespace azlock::ops
