#include "common/run/globals.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <locale>
#include <system_error>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/rma/rma.h"

extern "C" {
// The data segment, and a section in it (linker).
extern const std::byte __data_start, end, __start_magpie_own, __stop_magpie_own;
}

namespace magpie::internal {
namespace {

#ifdef NDEBUG
constexpr bool kLooks = false;
#else
constexpr bool kLooks = true;
#endif

uintptr_t number_of(const std::byte* byte) {
  return reinterpret_cast<uintptr_t>(byte);
}

std::span<const std::byte> data_segment() {
  constexpr size_t kMost = 64 << 20;
  const size_t bytes = number_of(&end) - number_of(&__data_start);
  return {&__data_start, bytes > kMost ? 0 : bytes};
}

// Whether a byte is backends'.
bool is_backends(const std::byte* byte) {
  return number_of(byte) - number_of(&__start_magpie_own) <
         number_of(&__stop_magpie_own) - number_of(&__start_magpie_own);
}

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

DataSegment::DataSegment()
    : now_(data_segment()), before_(now_.begin(), now_.end()) {}

std::vector<Place> DataSegment::changed() const {
  constexpr size_t kApart = 8;
  std::vector<Place> places;
  size_t last = 0;
  for (size_t i = 0; i < now_.size(); ++i) {
    if (now_[i] == before_[i] || is_backends(&now_[i])) continue;
    if (places.empty() || i - last > kApart) places.push_back({&now_[i], {}});
    places.back().last = &now_[i];
    last = i;
  }
  return places;
}

std::string command_naming(std::span<const Place> places) {
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
    before_.emplace();
  }
  rma::barrier();  // now tasks may run
}

void WrittenGlobals::look() {
  if constexpr (!kLooks) return;
  [[gnu::section("magpie_own")]] static bool has_warned = false;
  std::vector<Place> places;
  if (before_.has_value() && !has_warned) places = before_->changed();
  const auto mine = static_cast<uint64_t>(rma::rank());
  // Rank 0 remembers that there was a warning; on shm the other ranks of a
  // later run are new processes.
  uint64_t least[] = {places.empty() ? ~uint64_t{0} : mine, !has_warned};
  rma::reduce(least, 2, rma::Reduction::kMin);
  const auto [first, is_first_warning] = least;
  if (first == ~uint64_t{0} || is_first_warning == 0) return;
  has_warned = true;
  if (first != mine) return;
  constexpr size_t kMost = 16;
  const std::span<const Place> named(places.data(),
                                     std::min(places.size(), kMost));
  std::fflush(stdout);
  std::fprintf(
      stderr,
      "magpie: rank %d: warning: tasks have written static variables, of which "
      "each rank has its own: that is right for caches, and for tables that "
      "are "
      "alike on all ranks (prepare() may fill them); else return results, or "
      "merge() a pool's, or share symmetric memory. To name the variables: "
      "%s\n",
      rma::rank(), command_naming(named).c_str());
}

}  // namespace magpie::internal
