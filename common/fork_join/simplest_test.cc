// The simplest way to join and the simplest thread layer meet their concepts.

#include "common/fork_join/in_place_threads.h"
#include "common/fork_join/join_policy_suite.h"
#include "common/fork_join/locked_join.h"
#include "common/fork_join/thread_layer_suite.h"
#include "common/remote_heap/asking_heap.h"

using LockedJoin = magpie::LockedJoin<magpie::FakeThreads, magpie::AskingHeap>;

MAGPIE_JOIN_POLICY_SUITE(LockedJoin, LockedJoin);
MAGPIE_THREAD_LAYER_SUITE(InPlaceThreads, magpie::InPlaceThreads, {});
