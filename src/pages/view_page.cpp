#include "rigspace/pages/view_page.h"

#include "page_template.h"

namespace rigspace {

std::string view_page(std::span<const std::byte> glb, const ViewPageOptions& options) {
  const std::string json = "{\"title\":" + json_string(options.title) + ",\"clip\":" + json_string(options.clip) + "}";
  return filled_page(PageKind::viewer, options.title, json, glb);
}

}  // namespace rigspace
