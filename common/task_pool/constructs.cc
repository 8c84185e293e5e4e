#include "common/task_pool/constructs.h"

#include <cstring>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/flags/flags.h"
#include "common/rma/names.h"
#include "common/task/invoke.h"
#include "common/task/names.h"
#include "common/task_pool/words.h"

namespace magpie {

void add_options(CLI::App& app, ConstructsOptions& options) {
  flags::add_bytes(app, "--static_bytes", options.static_bytes,
                   "memory for the data of static_init, on each rank", 1,
                   1ull << 36);
}

StaticData::StaticData(uint64_t most_bytes)
    : most_bytes_(most_bytes),
      copy_(rma::allocate_bytes(sizeof(Header) + most_bytes, alignof(Header))) {
}

size_t StaticData::heap_bytes(uint64_t most_bytes) {
  return rma::allocated_bytes(sizeof(Header) + most_bytes, alignof(Header));
}

void StaticData::set(const StaticType& type, const void* data) {
  if (type.size > most_bytes_) {
    rma::fatal(absl::StrCat(
        "static_init of a ", name_of(*type.name), " of ", type.size,
        " bytes: raise --static_bytes=", flags::in_units(most_bytes_)));
  }
  const auto* const bytes = static_cast<const std::byte*>(data);
  next_.assign(bytes, bytes + type.size);
  next_type_ = &type;
}

void StaticData::publish() {
  if (next_type_ == nullptr) return;
  header().type = next_type_;
  std::memcpy(copy_.local() + sizeof(Header), next_.data(), next_.size());
}

void StaticData::send_to(int rank) const {
  if (header().type == nullptr) return;
  rma::put_nb(copy_.at(rank), copy_.local(),
              sizeof(Header) + header().type->size);
}

const void* StaticData::of(const StaticType& type) const {
  const StaticType* const has = header().type;
  if (has != &type) [[unlikely]] {
    rma::fatal(absl::StrCat("static_data of type ", name_of(*type.name),
                            ", where static_init was ",
                            has == nullptr ? "not called before the finish"
                                           : "given a " + name_of(*has->name)));
  }
  return copy_.local() + sizeof(Header);
}

Constructs::Constructs(const ConstructsOptions& options,
                       const PoolProgram::Root& root)
    : opens_finishes_(root.info->opens_finishes),
      phase_(opens_finishes_ ? Phase::kOutside : Phase::kTasks),
      finish_(opens_finishes_ ? 0 : 1),
      cancelled_(rma::allocate<rma::Word>()),
      static_data_(options.static_bytes) {
  rma::name_words(cancelled_, "cancelled");
}

size_t Constructs::heap_bytes(const ConstructsOptions& options) {
  return rma::allocated_bytes<rma::Word>() +
         StaticData::heap_bytes(options.static_bytes);
}

void Constructs::begin() {
  require_root("finish_async_any");
  ++finish_;
  phase_ = Phase::kBody;
  static_data_.publish();
}

void Constructs::cancel_all() {
  if (phase_ == Phase::kOutside) {
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
  static_data_.set(type, data);
}

void Constructs::added_outside() const {
  rma::fatal(
      "a task was added outside of a finish; finish_async_any begins one");
}

void Constructs::require_root(const char* function) const {
  if (!opens_finishes_) {
    rma::fatal(absl::StrCat(
        function,
        " was called in a program of run_pool, which is one finish; "
        "run_any begins a program of several"));
  }
  switch (phase_) {
    case Phase::kOutside:
      return;
    case Phase::kBody:
      rma::fatal(absl::StrCat(function,
                              " was called within a finish; it is "
                              "called by the root between finishes"));
    case Phase::kTasks:
      rma::fatal(absl::StrCat(function,
                              " was called by a task; it is called "
                              "by the root between finishes"));
  }
}

void call_body(void (*call)(void* body), void* body) {
  try {
    call(body);
  } catch (...) {
    an_exception_left("the body of a finish");
  }
}

void require_place(int place, int places) {
  if (place >= 0 && place < places) return;
  rma::fatal(absl::StrCat("static_async_any(", place,
                          "): there are places 0 to ", places - 1));
}

}  // namespace magpie
