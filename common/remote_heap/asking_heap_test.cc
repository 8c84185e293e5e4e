#include "common/remote_heap/asking_heap.h"

#include "common/remote_heap/remote_heap_suite.h"

MAGPIE_REMOTE_HEAP_SUITE(AskingHeap, magpie::AskingHeap);
