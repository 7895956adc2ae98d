#include "rigspace/pages/studio_page.h"

#include "page_template.h"

namespace rigspace {

std::string studio_page() { return filled_page(PageKind::studio); }

}  // namespace rigspace
