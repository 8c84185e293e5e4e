#include "impl/sws_queue/sdc_queue.h"

#include "common/stealing/stealable_queue_suite.h"

namespace magpie::sws_queue {
namespace {

using queue_suite::Item;

MAGPIE_STEALABLE_QUEUE_SUITE(SdcQueue, SdcQueue<Item>);
MAGPIE_STEALABLE_QUEUE_SUITE(SdcQueueOfOne, SdcQueue<Item, One>);

}  // namespace
}  // namespace magpie::sws_queue
