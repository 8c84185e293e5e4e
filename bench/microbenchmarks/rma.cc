// The cost of each operation of the RMA shim on the linked network: from rank 0
// to itself, and to rank 1, which waits in idle() meanwhile, as all other ranks
// do. Start it with two ranks.

#include "common/rma/rma.h"

#include <benchmark/benchmark.h>

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/flags/flags.h"

namespace magpie::bench {
namespace {

constexpr size_t kMaxBytes = 64 << 10;

// Memory that the operations work on; each rank has its own.
struct Memory {
  rma::RemotePtr<rma::Word> word = rma::allocate<rma::Word>();
  // Word that the owner loads after its fence.
  rma::RemotePtr<rma::Word> other_word = rma::allocate<rma::Word>();
  // Set when there are no more benchmarks.
  rma::RemotePtr<rma::Word> over = rma::allocate<rma::Word>();
  rma::RemotePtr<std::byte> bytes = rma::allocate_bytes(kMaxBytes, 64);
};

// Registers `operation`, to be timed with a flush after all of them, not after
// each.
template <typename Operation>
void add(const std::string& name, int target, size_t bytes,
         Operation operation) {
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
    for (auto _ : state) operation();
    rma::flush(target);
    if (bytes > 0)
      state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(bytes));
  });
}

void add_transfers(const std::string& where, int target, const Memory& memory,
                   std::byte* local) {
  const rma::RemotePtr<std::byte> remote = memory.bytes.at(target);
  for (const size_t bytes : {size_t{8}, size_t{1} << 10, kMaxBytes}) {
    add(absl::StrCat("get/", where, "/", bytes), target, bytes, [=] {
      rma::get(local, {remote.rank, remote.offset}, bytes);
      benchmark::ClobberMemory();
    });
    add(absl::StrCat("put/", where, "/", bytes), target, bytes,
        [=] { rma::put(remote, local, bytes); });
    add(absl::StrCat("put_nb+flush/", where, "/", bytes), target, bytes, [=] {
      rma::put_nb(remote, local, bytes);
      rma::flush(remote.rank);
    });
  }
}

void add_atomics(const std::string& where, int target, const Memory& memory) {
  const rma::RemotePtr<rma::Word> word = memory.word.at(target);
  const auto add_atomic = [&](const char* name, auto operation) {
    add(absl::StrCat(name, "/", where), target, 0,
        [=] { benchmark::DoNotOptimize(operation()); });
  };
  add_atomic("fetch_add", [=] { return rma::fetch_add(word, 1); });
  add_atomic("swap", [=] { return rma::swap(word, 1); });
  add_atomic("fetch_add_nb+flush", [=] {
    uint64_t before = 0;
    rma::fetch_add_nb(word, 1, &before);
    rma::flush(target);
    return before;
  });
  add(absl::StrCat("flush/", where), target, 0, [=] { rma::flush(target); });
}

// The owner's side, as in THE's pop: a store, a fence, a load of another word.
void add_word(const Memory& memory) {
  rma::Word* const mine = memory.word.local();
  rma::Word* const others = memory.other_word.local();
  add("word_store_load", rma::rank(), 0, [=] {
    mine->store(1);
    benchmark::DoNotOptimize(others->load());
  });
  add("word_store_fence_load", rma::rank(), 0, [=] {
    mine->store(1);
    rma::Word::fence();
    benchmark::DoNotOptimize(others->load());
  });
}

// A rest of a tenth of a second that nobody ends: its core time is measured.
void add_rest() {
  const auto rest = [](benchmark::State& state) {
    for (auto _ : state) rma::rest(100'000'000);
  };
  benchmark::RegisterBenchmark("rest", rest)
      ->Iterations(10)
      ->MeasureProcessCPUTime()
      ->UseRealTime();
}

int rank_main(void*) {
  const Memory memory;
  rma::barrier();
  if (rma::rank() == 0) {
    std::vector<std::byte> local(kMaxBytes);
    add_word(memory);
    add_rest();
    for (int target = 0; target <= 1 && target < rma::size(); ++target) {
      const std::string where = target == 0 ? "self" : "other";
      add_transfers(where, target, memory, local.data());
      add_atomics(where, target, memory);
    }
    benchmark::AddCustomContext("network", rma::kBackend.name);
    benchmark::RunSpecifiedBenchmarks();
    for (int other = 1; other < rma::size(); ++other)
      rma::put_word(memory.over.at(other), 1);
    rma::flush_all();
  } else {
    while (memory.over.local()->load() == 0) rma::idle();
  }
  rma::barrier();
  return 0;
}

}  // namespace
}  // namespace magpie::bench

int main(int argc, char** argv) {
  using namespace magpie;
  benchmark::Initialize(&argc, argv);
  flags::App app("Times the operations of the RMA shim.");
  rma::add_options(app);
  flags::parse_or_exit(app, argc, argv);
  return rma::launch({.heap_bytes = bench::kMaxBytes + 4096}, &bench::rank_main,
                     nullptr);
}
