// The runtime //:cont_greedy with a queue that looks over its thieves'
// shoulders: nobody lets go of a victim's lock before the frames are copied
// (TheQueue, invariant 6), which no test from outside could prove.

#include <algorithm>
#include <vector>

#include "impl/greedy_join/greedy_join.h"
#include "impl/greedy_join/local_collection.h"
#include "impl/greedy_join/runtime.h"
#include "impl/uniaddr/scheduler.h"
#include "impl/uniaddr/the_queue.h"

namespace magpie {
namespace {

class CheckingQueue : public uniaddr::TheQueue {
 public:
  using TheQueue::TheQueue;

  static bool take_oldest(Remote queue, uniaddr::TaskqEntry* entry) {
    const bool found = TheQueue::take_oldest(queue, entry);
    taken = found ? *entry : uniaddr::TaskqEntry{};
    return found;
  }

  static void unlock(Remote queue) {
    std::vector<std::byte> theirs(taken.frame_bytes);
    const auto frames = rma::region_ptr(queue.shared.rank, taken.frame_base);
    if (!theirs.empty()) {
      rma::get(theirs.data(), {frames.rank, frames.offset}, theirs.size());
    }
    if (!std::equal(theirs.begin(), theirs.end(), taken.frame_base)) {
      rma::fatal("a thief let go of the lock before it had copied the frames");
    }
    TheQueue::unlock(queue);
  }

 private:
  // Of the process: by this rank, under the lock that it holds.
  static inline uniaddr::TaskqEntry taken = {};
};

using Threads = uniaddr::Scheduler<CheckingQueue, greedy_join::LocalCollection>;
using Join = greedy_join::GreedyJoin<Threads, greedy_join::LocalCollection>;
using Runtime = greedy_join::Runtime<Join>;

}  // namespace

const RuntimeTraits kRuntime = {.name = "checking"};

namespace seam {

void spawn(const TypeInfo* type, const void* closure, Handle* out) {
  Runtime::spawn(type, closure, out);
}
void join(const Handle* task, uint32_t consumer, void* result) {
  Runtime::join(task, consumer, result);
}
void discard(const Handle* task, uint32_t consumer) {
  Runtime::discard(task, consumer);
}
int run(const std::vector<std::string>& arguments, const TypeInfo* root,
        const void* closure, void* result, RunReport* report) {
  return Runtime::run(arguments, root, closure, result, report);
}
const void* root_closure() { return Runtime::root_closure(); }
std::string flags_help() { return Runtime::flags_help(); }

}  // namespace seam
}  // namespace magpie
