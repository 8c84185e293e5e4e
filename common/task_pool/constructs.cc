#include "common/task_pool/constructs.h"

#include <cstring>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/flags/flags.h"
#include "common/rma/names.h"
#include "common/run/invoke.h"
#include "common/task_pool/runtime.h"

namespace magpie {

struct alignas(kMaxStaticAlign) Constructs::Header {
  // Type of the data; null where there are none.
  const StaticType* type;
};

Constructs::Constructs(uint64_t static_bytes, bool is_roots)
    : finish_(is_roots ? 0 : 1),
      cancelled_(rma::allocate<rma::Word>()),
      phase_(is_roots ? Phase::kOutside : Phase::kTasks),
      static_bytes_(static_bytes),
      data_(
          rma::allocate_bytes(sizeof(Header) + static_bytes, alignof(Header))) {
  rma::name_words(cancelled_, "cancelled");
}

size_t Constructs::heap_bytes(uint64_t static_bytes) {
  return rma::allocated_bytes<rma::Word>() +
         rma::allocated_bytes(sizeof(Header) + static_bytes, alignof(Header));
}

void Constructs::require_root(const char* function) const {
  if (phase_ == Phase::kOutside) return;
  rma::fatal(absl::StrCat(
      function,
      phase_ == Phase::kBody
          ? " was called within a finish; it is called by the root between "
            "finishes, of which a task that the root adds outside begins one"
          : " was called by a task; it is called by the root between "
            "finishes"));
}

void Constructs::begin() {
  ++finish_;
  phase_ = Phase::kBody;
  if (next_type_ == nullptr) return;
  header().type = std::exchange(next_type_, nullptr);
  std::memcpy(data_.local() + sizeof(Header), next_.data(), next_.size());
  for (int rank = 0; rank < rma::size(); ++rank) {
    if (rank != rma::rank())
      rma::put_nb(data_.at(rank), data_.local(), sizeof(Header) + next_.size());
  }
  rma::flush_all();
}

void Constructs::cancel_all() {
  if (!is_open()) {
    rma::fatal(
        "cancel_all_cancelable_async_any was called outside of a finish");
  }
  const uint64_t finish = finish_;
  if (std::exchange(cancelled_here_, finish) == finish) return;
  for (int rank = 0; rank < rma::size(); ++rank) {
    const auto word = cancelled_.at(rank);
    rma::put_nb({word.rank, word.offset}, &finish, sizeof(finish));
  }
  rma::flush_all();
}

void Constructs::static_init(const StaticType& type, const void* data) {
  require_root("static_init");
  if (type.size > static_bytes_) {
    rma::fatal(absl::StrCat(
        "static_init of a ", name_of(*type.name), " of ", type.size,
        " bytes: raise --static_bytes=", flags::in_units(static_bytes_)));
  }
  const auto* const bytes = static_cast<const std::byte*>(data);
  next_.assign(bytes, bytes + type.size);
  next_type_ = &type;
}

const void* Constructs::static_data(const StaticType& type) const {
  const StaticType* const has = header().type;
  if (has != &type) [[unlikely]] {
    rma::fatal(absl::StrCat("static_data of type ", name_of(*type.name),
                            ", where static_init was ",
                            has == nullptr ? "not called before the finish"
                                           : "given a " + name_of(*has->name)));
  }
  return data_.local() + sizeof(Header);
}

}  // namespace magpie
