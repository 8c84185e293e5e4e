#include "common/run/globals.h"

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <locale>
#include <system_error>
#include <thread>

#include "absl/strings/str_cat.h"
#include "common/rma/rma.h"

extern "C" {
// The data segment; the section in it where backends write (linker).
extern const std::byte __data_start[], end[], __start_magpie_own[],
    __stop_magpie_own[];
}

namespace magpie::internal {
namespace {

#ifdef NDEBUG
constexpr bool kLooks = false;
#else
constexpr bool kLooks = true;
#endif

// Lets the C and C++ libraries write what they write once, when they are first
// used, and when a process has its first thread.
void use_libraries() {
  std::thread([] {
    try {
      throw 0;
    } catch (int) {
    }
    static_cast<void>(std::locale::classic());
  }).join();
}

}  // namespace

std::vector<std::byte> data_segment() {
  if (end - __data_start > 64 << 20) return {};
  return {__data_start, end};
}

std::vector<Place> changed_since(const std::vector<std::byte>& before) {
  constexpr size_t kMost = 16, kApart = 8;
  std::vector<Place> places;
  const std::byte* last = nullptr;
  for (size_t i = 0; i < before.size(); ++i) {
    const std::byte* const byte = __data_start + i;
    const bool is_backends =
        byte >= __start_magpie_own && byte < __stop_magpie_own;
    if (*byte == before[i] || is_backends) continue;
    if (last == nullptr || byte > last + kApart) {
      if (places.size() == kMost) break;
      places.push_back({byte, byte});
    }
    places.back().last = last = byte;
  }
  return places;
}

std::string command_naming(const std::vector<Place>& places) {
  const auto text = [](const void* at) {
    return absl::StrCat(
        "\"", absl::Hex(reinterpret_cast<uintptr_t>(at), absl::kZeroPad16),
        "\"");
  };
  // Prints the symbols that begin in the place, and the last one before.
  std::string find;
  for (size_t i = 0; i < places.size(); ++i) {
    const std::string first = text(places[i].first);
    absl::StrAppend(&find, "$1<=", first, "{v[", i, "]=$0} $1>", first,
                    "&&$1<=", text(places[i].last), ";");
  }
  std::error_code none;
  return absl::StrCat(
      "nm -nC '",
      std::filesystem::read_symlink("/proc/self/exe", none).string(),
      "' | awk '", find, "END{for(i in v)print v[i]}' | sort -u");
}

WrittenGlobals::WrittenGlobals() {
  if constexpr (!kLooks) return;
  if (!rma::is_simulated() || rma::rank() == 0) {
    use_libraries();
    before_ = data_segment();
  }
  rma::barrier();  // now tasks may run
}

void WrittenGlobals::look() {
  if constexpr (!kLooks) return;
  // Rank 0 remembers that there was a warning; on shm the other ranks of a
  // later run are new processes.
  [[gnu::section("magpie_own")]] static bool has_warned = false;
  const std::vector<Place> places = changed_since(before_);
  const auto mine = static_cast<uint64_t>(rma::rank());
  uint64_t least[] = {places.empty() ? ~uint64_t{0} : mine, !has_warned};
  rma::reduce(least, 2, rma::Reduction::kMin);
  const auto [first, is_first_warning] = least;
  if (first == ~uint64_t{0} || is_first_warning == 0) return;
  has_warned = true;
  if (first != mine) return;
  std::fflush(stdout);
  std::fprintf(
      stderr,
      "magpie: rank %d: warning: tasks have written static variables, of which "
      "each rank has its own: that is right for caches, and for tables that "
      "are alike on all ranks (prepare() may fill them); else return results, "
      "or merge() a pool's, or share symmetric memory. To name the variables: "
      "%s\n",
      rma::rank(), command_naming(places).c_str());
}

}  // namespace magpie::internal
