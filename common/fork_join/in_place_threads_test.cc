#include "common/fork_join/in_place_threads.h"

#include "common/fork_join/thread_layer_suite.h"

MAGPIE_THREAD_LAYER_SUITE(InPlaceThreads, magpie::InPlaceThreads, {});
