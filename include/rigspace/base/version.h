#pragma once

namespace rigspace {

/// Of this library, "0.1.0": what files that are written name as their maker.
const char* version();

}  // namespace rigspace
