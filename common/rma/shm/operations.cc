// Remote operations over shared memory, copies and CPU atomics, one-sided; and
// collectives.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <span>

#include "common/rma/copies.h"
#include "common/rma/shm/job.h"

namespace magpie::rma {

namespace {

using shm::job;
using shm::peer_address;

std::atomic_ref<uint64_t> word_at(std::byte* address) {
  return std::atomic_ref<uint64_t>(*reinterpret_cast<uint64_t*>(address));
}

// Returns where the bytes of a peer are that an operation touches.
std::byte* find([[maybe_unused]] const char* operation, int rank,
                uint64_t offset, [[maybe_unused]] size_t bytes) {
  if constexpr (internal::kChecksAccess)
    internal::check_access(operation, rank, offset, bytes);
  return peer_address(rank, offset);
}

bool are_words(const std::byte* address, size_t bytes) {
  return bytes % 8 == 0 && reinterpret_cast<uintptr_t>(address) % 8 == 0;
}

bool is_word(const std::byte* address, size_t bytes) {
  return bytes == 8 && are_words(address, bytes);
}

// Whether memcpy keeps words whole that are aligned on both sides. On x86-64
// glibc's does; where one side is not aligned, it moves vectors that begin
// within words of the other. With SVE, AArch64's is made of vector instructions
// that are atomic by the byte.
#if defined(__x86_64__)
constexpr bool kMemcpyKeepsWords = true;
#else
constexpr bool kMemcpyKeepsWords = false;
#endif

// Copies bytes from or to a peer, whose words it keeps whole.
void copy(void* to, const void* from, const std::byte* peer, size_t bytes) {
  const auto addresses =
      reinterpret_cast<uintptr_t>(to) | reinterpret_cast<uintptr_t>(from);
  if (!are_words(peer, bytes) || (kMemcpyKeepsWords && addresses % 8 == 0)) {
    std::memcpy(to, from, bytes);
    return;
  }
  for (size_t i = 0; i < bytes / kWordBytes; ++i) copy_word(to, from, i);
}

void combine(std::atomic_ref<uint64_t> total, uint64_t value,
             Reduction reduction) {
  uint64_t seen = total.load();
  while (!total.compare_exchange_weak(
      seen, internal::combined(seen, value, reduction))) {
  }
}

}  // namespace

namespace backend {

void get(int rank, uint64_t offset, void* to, size_t bytes) {
  std::byte* const from = find("get", rank, offset, bytes);
  if (is_word(from, bytes)) {  // the common case, and never torn
    const uint64_t value = word_at(from).load(std::memory_order_acquire);
    std::memcpy(to, &value, sizeof(value));
  } else {
    copy(to, from, from, bytes);
    // The result is there when get returns: before all that comes later.
    std::atomic_thread_fence(std::memory_order_acquire);
  }
}

void put(int rank, uint64_t offset, const void* from, size_t bytes) {
  std::byte* const to = find("put", rank, offset, bytes);
  if (is_word(to, bytes)) {
    uint64_t value;
    std::memcpy(&value, from, sizeof(value));
    word_at(to).store(value, std::memory_order_release);
  } else {
    copy(to, from, to, bytes);
  }
}

uint64_t fetch_add(int rank, uint64_t offset, uint64_t value) {
  return word_at(find("fetch_add", rank, offset, 8)).fetch_add(value);
}

uint64_t swap(int rank, uint64_t offset, uint64_t value) {
  return word_at(find("swap", rank, offset, 8)).exchange(value);
}

// Nothing is slow here, so the non-blocking operations complete at once.
void get_nb(int rank, uint64_t offset, void* to, size_t bytes) {
  get(rank, offset, to, bytes);
}

void put_nb(int rank, uint64_t offset, const void* from, size_t bytes) {
  put(rank, offset, from, bytes);
}

void fetch_add_nb(int rank, uint64_t offset, uint64_t value, uint64_t* result) {
  const uint64_t before = fetch_add(rank, offset, value);
  if (result != nullptr) *result = before;
}

void flush(int) { std::atomic_thread_fence(std::memory_order_seq_cst); }

}  // namespace backend

// Collectives go through the control block. Their space is constant: large
// payloads go in pieces.

// The last to arrive opens the next round. Arrivals are reset before the round
// opens, so a rank that rushes into the next barrier counts for that one.
void barrier() {
  internal::require_collective("rma::barrier");
  const ActivityScope scope(*self().status, Activity::kCollective);
  shm::Control& control = *job.control;
  const uint32_t round = control.barrier_round.load();
  if (control.barrier_arrived.fetch_add(1) + 1 ==
      static_cast<uint32_t>(job.ranks)) {
    control.barrier_arrived.store(0);
    control.barrier_round.store(round + 1);
  } else {
    while (control.barrier_round.load() == round) idle();
  }
}

void broadcast(void* data, size_t bytes, int root) {
  internal::require_collective("rma::broadcast");
  const ActivityScope scope(*self().status, Activity::kCollective);
  auto* at = static_cast<std::byte*>(data);
  for (size_t done = 0; done < bytes; done += shm::kStagingBytes) {
    const size_t piece = std::min(bytes - done, shm::kStagingBytes);
    if (rank() == root)
      std::memcpy(job.control->staging.data(), at + done, piece);
    barrier();
    if (rank() != root)
      std::memcpy(at + done, job.control->staging.data(), piece);
    barrier();
  }
}

void reduce(uint64_t* values, size_t count, Reduction reduction) {
  internal::require_collective("rma::reduce");
  const ActivityScope scope(*self().status, Activity::kCollective);
  auto* totals = reinterpret_cast<uint64_t*>(job.control->staging.data());
  constexpr size_t kPiece = shm::kStagingBytes / sizeof(uint64_t);
  for (size_t done = 0; done < count; done += kPiece) {
    std::span<uint64_t> piece(values + done, std::min(count - done, kPiece));
    if (rank() == 0) std::copy(piece.begin(), piece.end(), totals);
    barrier();
    if (rank() != 0) {
      for (size_t i = 0; i < piece.size(); ++i) {
        combine(std::atomic_ref<uint64_t>(totals[i]), piece[i], reduction);
      }
    }
    barrier();
    std::copy(totals, totals + piece.size(), piece.begin());
    barrier();
  }
}

}  // namespace magpie::rma
