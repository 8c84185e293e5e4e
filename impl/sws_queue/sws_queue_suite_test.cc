#include "common/stealing/stealable_queue_suite.h"
#include "impl/sws_queue/sws_queue.h"

namespace magpie::sws_queue {
namespace {

using queue_suite::Item;
// The fields are as narrow as the suite's queues of up to 20 items allow, so
// that what does not fit shows. Narrow also has three epochs.
using Narrow = Stealval<5, 2, 3, 5, 3>;
using NarrowOfOne = Stealval<6, 2, 5, 5, 2>;

MAGPIE_STEALABLE_QUEUE_SUITE(SwsQueue, SwsQueue<Item>);
MAGPIE_STEALABLE_QUEUE_SUITE(FirstVersion, SwsQueue<Item, Half, FirstVersion>);
MAGPIE_STEALABLE_QUEUE_SUITE(Narrow, SwsQueue<Item, Half, Narrow>);
MAGPIE_STEALABLE_QUEUE_SUITE(NarrowOfOne, SwsQueue<Item, One, NarrowOfOne>);

}  // namespace
}  // namespace magpie::sws_queue
