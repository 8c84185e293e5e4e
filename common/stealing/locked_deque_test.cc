#include "common/stealing/locked_deque.h"

#include "common/stealing/stealable_queue_suite.h"

MAGPIE_STEALABLE_QUEUE_SUITE(LockedDeque,
                             magpie::LockedDeque<magpie::queue_suite::Item>);
