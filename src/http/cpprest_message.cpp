#include "http/cpprest_message.hpp"

#include <system_error>

#include <boost/system/system_error.hpp>

#include "base/text.hpp"
#include "http/attempt.hpp"
#include "http/transport_error.hpp"

namespace azlock::http {
namespace {

// A body to send or to receive, as the library sees it. The derived classes do the one call that it uses; all others do
// nothing.
class StreamBase : public Concurrency::streams::details::basic_streambuf<std::uint8_t> {
  public:
    bool can_read() const override { return true; }
    bool can_write() const override { return true; }
    bool can_seek() const override { return false; }  // so that the library never sends a body twice
    bool has_size() const override { return false; }
    bool is_eof() const override { return false; }
    bool is_open() const override { return true; }
    std::size_t buffer_size(std::ios_base::openmode) const override { return 0; }
    void set_buffer_size(std::size_t, std::ios_base::openmode) override {}
    std::size_t in_avail() const override { return 0; }
    pplx::task<void> close(std::ios_base::openmode) override { return pplx::task_from_result(); }
    pplx::task<void> close(std::ios_base::openmode, std::exception_ptr) override { return pplx::task_from_result(); }
    pplx::task<int_type> putc(std::uint8_t) override { return eof(); }
    pplx::task<std::size_t> putn(const std::uint8_t*, std::size_t) override {
        return pplx::task_from_result<std::size_t>(0);
    }
    pplx::task<std::size_t> putn_nocopy(const std::uint8_t*, std::size_t) override {
        return pplx::task_from_result<std::size_t>(0);
    }
    pplx::task<int_type> bumpc() override { return eof(); }
    int_type sbumpc() override { return traits::eof(); }
    pplx::task<int_type> getc() override { return eof(); }
    int_type sgetc() override { return traits::eof(); }
    pplx::task<int_type> nextc() override { return eof(); }
    pplx::task<int_type> ungetc() override { return eof(); }
    pplx::task<std::size_t> getn(std::uint8_t*, std::size_t) override { return pplx::task_from_result<std::size_t>(0); }
    std::size_t scopy(std::uint8_t*, std::size_t) override { return 0; }
    pos_type getpos(std::ios_base::openmode) const override { return 0; }
    utility::size64_t size() const override { return 0; }
    pos_type seekpos(pos_type, std::ios_base::openmode) override { return traits::eof(); }
    pos_type seekoff(off_type, std::ios_base::seekdir, std::ios_base::openmode) override { return traits::eof(); }
    pplx::task<void> sync() override { return pplx::task_from_result(); }
    std::uint8_t* alloc(std::size_t) override { return nullptr; }
    void commit(std::size_t) override {}
    bool acquire(std::uint8_t*&, std::size_t&) override { return false; }
    void release(std::uint8_t*, std::size_t) override {}
    std::exception_ptr exception() const override { return nullptr; }

  private:
    static pplx::task<int_type> eof() { return pplx::task_from_result<int_type>(traits::eof()); }
};

class BodyStream final : public StreamBase {
  public:
    BodyStream(std::shared_ptr<Exchange> exchange, bool direct) : exchange_(std::move(exchange)), direct_(direct) {}
    // The library has written the head and asks for the first `count` bytes, which it will send next. If the result is
    // larger, the library counts that many bytes as read, but still sends only what is in its buffer. So we can send
    // the rest of the body before, past the library, if its buffer gets the end of the body. The buffer holds exactly
    // `count` bytes only if it had to grow for them, that is, if they are more than any head has.
    pplx::task<std::size_t> getn(std::uint8_t* out, std::size_t count) override {
        const auto buffer = std::as_writable_bytes(std::span(out, count));
        if (direct_ && count == kChunk) {
            const pplx::task_completion_event<std::size_t> sent;
            if (exchange_->offer_body(buffer, [sent](std::size_t size) { (void)sent.set(size); })) {
                return pplx::create_task(sent);
            }
        }
        return pplx::task_from_result(exchange_->read_body(buffer));
    }

  private:
    std::shared_ptr<Exchange> exchange_;
    bool direct_;
};

// Lives as long as the library uses the exchange.
class AnswerStream final : public StreamBase {
  public:
    explicit AnswerStream(std::shared_ptr<Exchange> exchange) : exchange_(std::move(exchange)) {}
    ~AnswerStream() override { exchange_->let_go(); }
    AnswerStream(const AnswerStream&) = delete;
    AnswerStream& operator=(const AnswerStream&) = delete;
    pplx::task<std::size_t> putn_nocopy(const std::uint8_t* data, std::size_t count) override {
        if (count > 0x7fffffff) {
            exchange_->reject_answer();  // a broken server's negative chunk size
        } else if (exchange_->write_answer(std::as_bytes(std::span(data, count)))) {
            return pplx::task_from_result(count);
        }
        return pplx::task_from_exception<std::size_t>(std::runtime_error("answer refused"));
    }

  private:
    std::shared_ptr<Exchange> exchange_;
};

struct Stream : Concurrency::streams::streambuf<std::uint8_t> {
    explicit Stream(const std::shared_ptr<StreamBase>& base) : streambuf(base) {}
};

bool is_ours_to_set(const std::string& name) {
    for (const char* ours : {"Host", "Content-Length", "Transfer-Encoding", "Connection", "Expect"}) {
        if (iequals(name, ours)) return true;
    }
    return false;
}

Response to_head(const web::http::http_response& answer) {
    Response head;
    head.status = answer.status_code();
    for (const auto& [name, value] : answer.headers()) head.headers.set(name, value);
    return head;
}

// Call it in a catch block.
void fail_with_current_exception(Exchange& exchange) {
    try {
        throw;
    } catch (const web::http::http_exception& error) {
        exchange.fail_with(error.error_code().value());
    } catch (const NoSecondSend&) {
        exchange.fail_with(kVetoedRepeat);
    } catch (const std::exception& thrown) {
        const Error error = library_error(thrown, "the HTTP library");
        if (error.code == ErrorCode::io) return exchange.fail_with(error);
        exchange.fail_with(kUnknownFailure);
    } catch (...) {
        exchange.fail_with(kUnknownFailure);
    }
}

}  // namespace

web::http::http_request make_message(const Request& request, const Proxy* proxy,
                                     const std::shared_ptr<Exchange>& exchange, bool direct) {
    web::http::http_request message{std::string(to_string(request.method))};
    message.set_request_uri(web::uri(request.wire_target()));
    if (request.content_length() > 0) {
        message.set_body(Stream(std::make_shared<BodyStream>(exchange, direct)).create_istream(),
                         request.content_length());
    }
    message.headers().remove("Content-Type");  // the library sets its own value
    for (const auto& [name, value] : request.headers) {
        if (!is_ours_to_set(name)) message.headers()[name] = value;
    }
    if (proxy != nullptr && !proxy->authorization.empty()) {
        message.headers()["Proxy-Authorization"] = proxy->authorization.reveal();
    }
    message.headers()["Host"] = request.origin.tls ? request.origin.host : request.origin.authority();
    // Called for the first time when the head has been written.
    message.set_progress_handler(
        [exchange](web::http::message_direction::direction, utility::size64_t) { exchange->head_written(); });
    message.set_response_stream(Stream(std::make_shared<AnswerStream>(exchange)).create_ostream());
    return message;
}

void follow(const pplx::task<web::http::http_response>& answer, const std::shared_ptr<Exchange>& exchange) {
    answer.then([exchange](const pplx::task<web::http::http_response>& head) {
        try {
            const web::http::http_response response = head.get();
            exchange->begin_answer(to_head(response));
            response.content_ready().then([exchange](const pplx::task<web::http::http_response>& whole) {
                try {
                    whole.get();
                    exchange->complete();
                } catch (...) {
                    fail_with_current_exception(*exchange);
                }
            });
        } catch (...) {
            fail_with_current_exception(*exchange);
        }
    });
}

Error library_error(const std::exception& thrown, const std::string& during) {
    const auto* system = dynamic_cast<const boost::system::system_error*>(&thrown);
    if (system == nullptr) return thrown_error(thrown, during);
    return thrown_error(std::system_error(system->code().value(), std::generic_category()), during);
}

}  // namespace azlock::http
