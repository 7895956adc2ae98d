#include <utility>  // Boost 1.74's asio/awaitable.hpp lacks it

#include "http_server.h"

#include "guard.h"
#include "rigspace/base/error.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>

#include <atomic>
#include <deque>
#include <fstream>
#include <map>
#include <optional>

namespace rigspace::studio {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using tcp = asio::ip::tcp;
template <class T>
using Task = asio::awaitable<T>;
using Stream = beast::tcp_stream;
using Answer = http::response<http::vector_body<unsigned char>>;
constexpr auto use_task = asio::use_awaitable;

namespace {

constexpr auto kIdle = std::chrono::seconds(60);

/// One page's socket. All members are used on the server's thread alone.
struct Client {
  explicit Client(Stream&& stream) : socket(std::move(stream)) {}
  websocket::stream<Stream> socket;
  std::deque<std::shared_ptr<const std::string>> texts;
  std::size_t waiting = 0;             // bytes of `texts`
  std::shared_ptr<const Bytes> frame;  // the newest that is not sent
  bool writing = false, open = false;
};

std::string_view text_of(beast::string_view text) { return {text.data(), text.size()}; }

}  // namespace

struct HttpServer::Core : std::enable_shared_from_this<Core> {
  Core(const HttpOptions& given, HttpHandler& to) : options(given), handler(to), acceptor(context) {}

  Task<void> listen();
  Task<void> serve(tcp::socket socket);
  Task<bool> answer_one(Stream& stream, beast::flat_buffer& buffer);
  Task<Answer> take_upload(Stream& stream, beast::flat_buffer& buffer, http::request_parser<http::empty_body>& header,
                           const std::string& name);
  Task<void> talk(Stream stream, http::request<http::empty_body> request);
  Task<void> write(std::shared_ptr<Client> client);
  void kick(const std::shared_ptr<Client>& client);
  void queue(const std::shared_ptr<Client>& client, const std::shared_ptr<const std::string>& text);
  Answer respond(const http::request<http::empty_body>& request, const HttpAnswer& answer) const;

  HttpOptions options;
  HttpHandler& handler;
  asio::io_context context{1};
  tcp::acceptor acceptor;
  std::map<ClientId, std::shared_ptr<Client>> clients;
  ClientId last_client = 0;
  std::uint64_t last_upload = 0;
  int connections = 0;
  int port = 0;
};

namespace {

Headers headers_of(const http::request<http::empty_body>& request) {
  Headers headers{.method = std::string(text_of(request.method_string())),
                  .target = std::string(text_of(request.target()))};
  if (const auto at = request.find(http::field::host); at != request.end())
    headers.host = std::string(text_of(at->value()));
  if (const auto at = request.find(http::field::origin); at != request.end())
    headers.origin = std::string(text_of(at->value()));
  if (const auto at = request.find(http::field::cookie); at != request.end())
    headers.cookie = std::string(text_of(at->value()));
  return headers;
}

HttpAnswer plain(int status, std::string_view sentence) {
  const auto* begin = reinterpret_cast<const std::byte*>(sentence.data());
  return {.status = status, .body = std::make_shared<const Bytes>(begin, begin + sentence.size())};
}

}  // namespace

/// Every answer forbids the browser to guess types, to keep copies, to show it in other pages and to load anything from
/// elsewhere.
Answer HttpServer::Core::respond(const http::request<http::empty_body>& request, const HttpAnswer& answer) const {
  Answer response{static_cast<http::status>(answer.status), request.version()};
  response.set(http::field::content_type, answer.type);
  response.set(http::field::cache_control, "no-store");
  response.set("X-Content-Type-Options", "nosniff");
  response.set("X-Frame-Options", "DENY");
  response.set("Referrer-Policy", "no-referrer");
  response.set("Cross-Origin-Resource-Policy", "same-origin");
  response.set("Cross-Origin-Opener-Policy", "same-origin");
  response.set("Content-Security-Policy", kContentPolicy);
  if (!answer.download.empty())
    response.set(http::field::content_disposition, "attachment; filename=\"" + answer.download + "\"");
  if (answer.status == 200 && answer.type.starts_with("text/html"))
    response.set(http::field::set_cookie, cookie_of(port, options.token));
  if (answer.body) {
    const auto* begin = reinterpret_cast<const unsigned char*>(answer.body->data());
    response.body().assign(begin, begin + answer.body->size());
  }
  response.keep_alive(request.keep_alive());
  response.prepare_payload();
  return response;
}

Task<void> HttpServer::Core::listen() {
  const auto self = shared_from_this();
  while (acceptor.is_open()) {
    boost::system::error_code failed;
    tcp::socket socket = co_await acceptor.async_accept(asio::redirect_error(use_task, failed));
    if (failed == asio::error::operation_aborted) co_return;
    if (failed || connections >= options.most_clients) continue;
    asio::co_spawn(context, serve(std::move(socket)), asio::detached);
  }
}

Task<void> HttpServer::Core::serve(tcp::socket socket) {
  const auto self = shared_from_this();
  ++connections;
  try {
    boost::system::error_code ignored;
    socket.set_option(tcp::no_delay(true), ignored);
    Stream stream(std::move(socket));
    beast::flat_buffer buffer;
    while (co_await answer_one(stream, buffer)) {
    }
  } catch (const std::exception&) {  // a connection that breaks is no event
  }
  --connections;
}

/// Reads and answers one request. False: the connection is over, or has become a WebSocket.
Task<bool> HttpServer::Core::answer_one(Stream& stream, beast::flat_buffer& buffer) {
  http::request_parser<http::empty_body> parser;
  parser.header_limit(16 << 10);
  parser.body_limit(options.most_upload);
  stream.expires_after(kIdle);
  boost::system::error_code failed;
  co_await http::async_read_header(stream, buffer, parser, asio::redirect_error(use_task, failed));
  if (failed == http::error::end_of_stream) co_return false;
  if (failed) {
    if (failed.category() == http::make_error_code(http::error::bad_version).category()) {
      http::request<http::empty_body> none;
      none.version(11), none.keep_alive(false);
      Answer refused = failed == http::error::body_limit
                           ? respond(none, plain(413, "The content is larger than this server takes.\n"))
                           : respond(none, plain(400, "This is no HTTP request.\n"));
      co_await http::async_write(stream, refused, use_task);
    }
    co_return false;
  }
  const http::request<http::empty_body>& request = parser.get();
  const Headers headers = headers_of(request);
  const Verdict verdict = judge(headers, port, options.token);
  const bool socket = beast::websocket::is_upgrade(request);
  const bool empty = !parser.chunked() && parser.content_length().value_or(0) == 0;
  Answer response;
  if (verdict.status != 200) {
    response = respond(request, plain(verdict.status, verdict.sentence));
    if (!empty) response.keep_alive(false);
  } else if (socket && verdict.path == "/socket") {
    http::request<http::empty_body> upgrade = parser.release();
    co_await talk(std::move(stream), std::move(upgrade));
    co_return false;
  } else if (request.method() == http::verb::put && verdict.path.starts_with("/upload/")) {
    response = co_await take_upload(stream, buffer, parser, verdict.path.substr(8));
  } else if (!empty) {
    response = respond(request, plain(413, "This address takes no content.\n"));
    response.keep_alive(false);
  } else if (request.method() != http::verb::get) {
    response = respond(request, plain(405, "This address answers GET alone.\n"));
  } else {
    response = respond(request, handler.get(verdict.path));
  }
  stream.expires_after(kIdle);
  const bool keep = response.keep_alive();
  co_await http::async_write(stream, response, use_task);
  if (!keep) {
    boost::system::error_code ignored;
    stream.socket().shutdown(tcp::socket::shutdown_send, ignored);
  }
  co_return keep;
}

/// Writes the body to a file as it comes, so that a large one needs no memory.
Task<Answer> HttpServer::Core::take_upload(Stream& stream, beast::flat_buffer& buffer,
                                           http::request_parser<http::empty_body>& header, const std::string& name) {
  const http::request<http::empty_body> request = header.get();
  const auto refuse = [&](int status, std::string_view sentence) {
    Answer response = respond(request, plain(status, sentence));
    response.keep_alive(false);
    return response;
  };
  if (!is_plain_name(name))
    co_return refuse(400, "A file's name has letters, digits, spaces and . _ - ( ) alone, and at most 120 of them.\n");
  if (header.content_length().value_or(0) > options.most_upload)
    co_return refuse(413, "The file is larger than an upload may be; open it by its path.\n");
  const std::filesystem::path file = options.uploads / (".upload-" + std::to_string(++last_upload));
  HttpAnswer answer;
  {
    http::request_parser<http::file_body> parser(std::move(header));
    parser.body_limit(options.most_upload);
    boost::system::error_code failed;
    parser.get().body().open(file.c_str(), beast::file_mode::write, failed);
    if (failed) co_return refuse(500, "The folder for uploads cannot be written.\n");
    while (!parser.is_done()) {
      stream.expires_after(kIdle);
      co_await http::async_read_some(stream, buffer, parser, asio::redirect_error(use_task, failed));
      if (failed) break;
    }
    parser.get().body().close();
    std::error_code ignored;
    if (failed) {
      std::filesystem::remove(file, ignored);
      co_return refuse(400, "The upload ended before its end.\n");
    }
    answer = handler.uploaded(name, file);
    std::filesystem::remove(file, ignored);
  }
  co_return respond(request, answer);
}

Task<void> HttpServer::Core::talk(Stream stream, http::request<http::empty_body> request) {
  stream.expires_never();
  const auto client = std::make_shared<Client>(std::move(stream));
  client->socket.set_option(websocket::stream_base::timeout{std::chrono::seconds(20), std::chrono::seconds(120), true});
  client->socket.read_message_max(options.most_message);
  client->socket.auto_fragment(false);
  client->socket.write_buffer_bytes(64 << 10);
  co_await client->socket.async_accept(request, use_task);
  const ClientId id = ++last_client;
  clients[id] = client;
  client->open = true;
  handler.opened(id);
  try {
    beast::flat_buffer buffer;
    for (;;) {
      co_await client->socket.async_read(buffer, use_task);
      handler.received(id, client->socket.got_text() ? beast::buffers_to_string(buffer.data()) : std::string("\0", 1));
      buffer.consume(buffer.size());
    }
  } catch (const std::exception&) {  // closed, broken, too long, or no WebSocket frames
  }
  client->open = false;
  clients.erase(id);
  handler.closed(id);
}

void HttpServer::Core::queue(const std::shared_ptr<Client>& client, const std::shared_ptr<const std::string>& text) {
  client->texts.push_back(text), client->waiting += text->size();
  if (client->waiting > options.most_waiting) {  // it does not read: end it, it may come back
    client->texts.clear(), client->waiting = 0;
    beast::get_lowest_layer(client->socket).close();
    return;
  }
  kick(client);
}

void HttpServer::Core::kick(const std::shared_ptr<Client>& client) {
  if (!client->open || client->writing) return;
  client->writing = true;
  asio::co_spawn(context, write(client), asio::detached);
}

/// Sends what waits: all texts in order, then the newest frame.
Task<void> HttpServer::Core::write(std::shared_ptr<Client> client) {
  const auto self = shared_from_this();
  try {
    while (client->open && (!client->texts.empty() || client->frame)) {
      if (!client->texts.empty()) {
        const auto text = client->texts.front();
        client->texts.pop_front();
        client->waiting -= text->size();
        client->socket.text(true);
        co_await client->socket.async_write(asio::buffer(*text), use_task);
      } else {
        const auto frame = std::exchange(client->frame, nullptr);
        client->socket.binary(true);
        co_await client->socket.async_write(asio::buffer(frame->data(), frame->size()), use_task);
      }
    }
  } catch (const std::exception&) {  // the reading side ends too
  }
  client->writing = false;
}

HttpServer::HttpServer(const HttpOptions& options, HttpHandler& handler)
    : core_(std::make_shared<Core>(options, handler)) {
  const auto fail = [&](const boost::system::error_code& why) {
    throw Error({.code = ErrorCode::usage,
                 .element = "port " + std::to_string(options.port),
                 .value = std::to_string(options.port),
                 .problem = "cannot be listened on (" + why.message() + ")",
                 .remedy = "give another with --port, or 0 for any that is free"});
  };
  boost::system::error_code failed;
  const tcp::endpoint here(asio::ip::address_v4::loopback(), static_cast<unsigned short>(options.port));
  core_->acceptor.open(here.protocol(), failed);
  if (!failed) core_->acceptor.set_option(asio::socket_base::reuse_address(true), failed);
  if (!failed) core_->acceptor.bind(here, failed);
  if (!failed) core_->acceptor.listen(asio::socket_base::max_listen_connections, failed);
  if (failed) fail(failed);
  core_->port = core_->acceptor.local_endpoint().port();
}

HttpServer::~HttpServer() { stop(); }

int HttpServer::port() const { return core_->port; }
std::string HttpServer::address() const {
  return "http://127.0.0.1:" + std::to_string(core_->port) + "/?token=" + core_->options.token;
}

void HttpServer::run() {
  asio::co_spawn(core_->context, core_->listen(), asio::detached);
  core_->context.run();
}

void HttpServer::stop() {
  asio::post(core_->context, [core = core_] {
    boost::system::error_code ignored;
    core->acceptor.close(ignored);
    core->context.stop();
  });
}

void HttpServer::send(ClientId client, std::shared_ptr<const std::string> text) {
  asio::post(core_->context, [core = core_, client, text = std::move(text)] {
    if (const auto at = core->clients.find(client); at != core->clients.end()) core->queue(at->second, text);
  });
}

void HttpServer::send_to_all(std::shared_ptr<const std::string> text) {
  asio::post(core_->context, [core = core_, text = std::move(text)] {
    const auto all = core->clients;  // a client that is cut off leaves the list
    for (const auto& [id, client] : all) core->queue(client, text);
  });
}

void HttpServer::send_frame_to_all(std::shared_ptr<const Bytes> frame) {
  asio::post(core_->context, [core = core_, frame = std::move(frame)] {
    for (const auto& [id, client] : core->clients) client->frame = frame, core->kick(client);
  });
}

std::string random_token() {
  std::ifstream random("/dev/urandom", std::ios::binary);
  unsigned char bytes[16];
  if (!random.read(reinterpret_cast<char*>(bytes), sizeof bytes))
    throw Error({.code = ErrorCode::internal,
                 .file = "/dev/urandom",
                 .problem = "cannot be read",
                 .remedy = "the studio needs random numbers to keep other programs out"});
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string token;
  for (const unsigned char byte : bytes) token += kHex[byte >> 4], token += kHex[byte & 15];
  return token;
}

}  // namespace rigspace::studio
