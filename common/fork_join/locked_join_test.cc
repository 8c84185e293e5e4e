#include "common/fork_join/locked_join.h"

#include "common/fork_join/join_policy_suite.h"
#include "common/remote_heap/asking_heap.h"

using LockedJoin = magpie::LockedJoin<magpie::FakeThreads, magpie::AskingHeap>;

MAGPIE_JOIN_POLICY_SUITE(LockedJoin, LockedJoin);
