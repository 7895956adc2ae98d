// The interface from C++, where exceptions may be off: the C functions; and, where they are on, the C++ ones.
#include <rigspace/apps/physics/realtime_c.h>

#include <cstdio>

#ifdef __cpp_exceptions
#include <rigspace/apps/physics/realtime_file.h>
#include <rigspace/base/error.h>
#endif

extern "C" int refuses(const char* text);

int main() {
  if (!refuses("once upon a time")) return std::printf("not refused from C\n"), 1;
  if (rigspace_realtime_create(nullptr) != nullptr || rigspace_realtime_error_code() != 2) return 2;
#ifdef __cpp_exceptions
  try {
    rigspace::read_realtime_model({}, "nothing.rigmodel");
    return 3;
  } catch (const rigspace::Error& error) {
    std::printf("%s\n", error.what());
  }
#endif
  return 0;
}
