// Continuation stealing with greedy join: uni-address threads (hpdc15), THE queue, greedy join and
// local collection (cluster22).

#include "impl/greedy_join/greedy_join.h"
#include "impl/greedy_join/local_collection.h"
#include "impl/greedy_join/runtime.h"
#include "impl/uniaddr/scheduler.h"
#include "impl/uniaddr/the_queue.h"

namespace magpie {
namespace {

using Threads = uniaddr::Scheduler<uniaddr::TheQueue, greedy_join::LocalCollection>;
using Join = greedy_join::GreedyJoin<Threads, greedy_join::LocalCollection>;
using Runtime = greedy_join::Runtime<Join>;

}  // namespace

const RuntimeTraits kRuntime = {.name = "cont_greedy"};

namespace seam {

void spawn(const TypeInfo* type, const void* closure, Handle* out) { Runtime::spawn(type, closure, out); }

void join(const Handle* task, uint32_t consumer, void* result) { Runtime::join(task, consumer, result); }

void discard(const Handle* task, uint32_t consumer) { Runtime::discard(task, consumer); }

int run(const std::vector<std::string>& arguments, const TypeInfo* root, const void* closure, void* result,
        RunReport* report) {
  return Runtime::run(arguments, root, closure, result, report);
}

const void* root_closure() { return Runtime::root_closure(); }

std::string flags_help() { return Runtime::flags_help(); }

}  // namespace seam
}  // namespace magpie
