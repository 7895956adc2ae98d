#pragma once
// The network side of the studio: HTTP and WebSockets on loopback, for pages of this server only. This file does not
// depend on rigs. One thread serves all connections; `send` and `send_frame` may be called from any thread.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace rigspace::studio {

using ClientId = std::uint64_t;
using Bytes = std::vector<std::byte>;

struct HttpAnswer {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::shared_ptr<const Bytes> body = {};  ///< null: empty
  std::string download = {};               ///< a file name: the browser saves the body under it
};

/// Callbacks of the server, on its own thread, which waits meanwhile: they must return quickly.
class HttpHandler {
 public:
  virtual ~HttpHandler() = default;
  /// `path` is decoded, has no query and no "..": "/file/3/model.glb".
  virtual HttpAnswer get(const std::string& path) = 0;
  /// An upload lies whole in `file`, which the handler moves away or leaves to be deleted.
  virtual HttpAnswer uploaded(const std::string& name, const std::filesystem::path& file) = 0;
  virtual void opened(ClientId client) = 0;
  virtual void received(ClientId client, std::string text) = 0;
  virtual void closed(ClientId client) = 0;
};

struct HttpOptions {
  int port = 0;                          ///< 0: any that is free
  std::string token;                     ///< requests without it are refused
  std::filesystem::path uploads;         ///< folder of uploads until the handler has moved them
  std::size_t most_upload = 256u << 20;  ///< bytes
  std::size_t most_message = 4u << 20;   ///< bytes of a text message from a page
  std::size_t most_waiting = 64u << 20;  ///< bytes of text that wait for a slow page before it is cut off
  int most_clients = 64;                 ///< connections at a time
};

class HttpServer {
 public:
  /// Binds to 127.0.0.1. Throws Error if the port is taken.
  HttpServer(const HttpOptions& options, HttpHandler& handler);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  int port() const;
  std::string address() const;  ///< with the token: what a browser opens

  /// Serves until `stop`, which any thread and a signal handler's thread may call.
  void run();
  void stop();

  /// Text messages arrive in order, none is left out. Unknown clients are passed over.
  void send(ClientId client, std::shared_ptr<const std::string> text);
  void send_to_all(std::shared_ptr<const std::string> text);
  /// Of frames a slow page gets the newest: one that waits is replaced.
  void send_frame_to_all(std::shared_ptr<const Bytes> frame);

 private:
  struct Core;
  std::shared_ptr<Core> core_;
};

/// 128 random bits in hexadecimal digits. Throws Error where the system gives none.
std::string random_token();

}  // namespace rigspace::studio
