#include "ring_queue.h"

#include "common/stealing/stealable_queue_suite.h"

MAGPIE_STEALABLE_QUEUE_SUITE(RingQueue, RingQueue<magpie::queue_suite::Item>);
