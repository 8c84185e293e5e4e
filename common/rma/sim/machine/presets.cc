// The papers' machines. Above each figure stands where it is from:
//   [table II] and the like: printed in the paper that the preset names;
//   [derived]: follows from printed figures, by the arithmetic beside it;
//   [maker]: not in the paper; what the network's maker says of it;
//   [assumed]: no source. Of the usual order, and not tuned to any result.
//
// A steal of the papers is seven operations (hpdc15 and jip16, table 3): a READ
// (empty check), a fetch-and-add (lock), READ, WRITE and READ (steal), a READ
// of the frames and a WRITE (unlock). Where a paper prints the time of a steal,
// the round trip is derived from that:
//
//   steal = 7 * round trip + what atomics take longer + frames * per_byte
//   round trip = overhead + 2 * latency
//
// Our steal also has seven (impl/uniaddr/the_queue.h), but unlocks by an
// atomic, a swap, unless --net has writes=atomic. So it takes longer than the
// paper's where atomics do: on fx10 by 2.8 us, on tsubame25 by 4.4 us.
//
// UTS in the papers forks over every child (hpdc15 6.1: zero or two subtasks),
// once for each leaf but one. Where a paper prints how much slower that is on
// one core than the serial program, spawn + join is derived from that:
//
//   spawn + join = node * overhead / forks a node
//
// Every task pays both, so their shares do not matter: [assumed] half each.
// network_test.cc holds the presets against what the papers print.

#include <optional>
#include <utility>
#include <vector>

#include "common/rma/sim/machine/network.h"

namespace magpie::rma::sim {
namespace {

constexpr Time ns(double n) {
  return static_cast<Time>(n * static_cast<double>(kNanosecond) + 0.5);
}

// Nanoseconds of n cycles of a processor with so many gigahertz.
constexpr double cycles(double n, double gigahertz) { return n / gigahertz; }

// Nanoseconds of a round trip, from a steal without the time that atomics take
// longer.
constexpr double round_trip(double steal, double frames, double per_byte) {
  return (steal - frames * per_byte) / 7;
}

// [derived] of T1L, 102,181,082 nodes of which 81,746,377 are leaves
// (bench/uts/sample_trees.cc): 0.80.
constexpr double kForksPerNode = 81'746'376 / 102'181'082.0;

constexpr double fork(double node, double overhead) {
  return node * overhead / kForksPerNode;
}

// Picoseconds a byte, at so many gigabytes a second.
constexpr Time bandwidth(double gigabytes) {
  return static_cast<Time>(1000 / gigabytes + 0.5);
}

// Nanoseconds of overhead, a part of the round trip [assumed].
constexpr double kOverhead = 300;

constexpr Time latency(double round_trip) {
  return ns((round_trip - kOverhead) / 2);
}

// A machine with the figures that no paper prints for any of them [assumed].
Network cluster(const char* name, const char* summary, int node_size) {
  Network net;
  net.name = name;
  net.summary = summary;
  net.node_size = node_size;
  net.overhead = ns(kOverhead);
  // MPI-3 RMA through shared memory, between ranks of one node and to itself.
  net.within_node = {.latency = ns(400), .per_byte = bandwidth(10)};
  net.gets = net.puts = {.gap = ns(20)};
  net.atomics = {.gap = ns(100)};
  // An adapter's atomics and a processor's are not atomic with respect to each
  // other, so that software which uses the adapter's at all uses them within a
  // node, too.
  net.node_atomics.reset();
  // [maker] of EDR's adapters: 150 million small sends a second; [assumed] of
  // reads and atomics where nothing says more.
  net.adapter.message = ns(1000 / 150.0);
  // A look at the network.
  net.idle = ns(200);
  return net;
}

// Cycles of software that serves atomics. [derived] jip16: the AM-based
// fetch-and-add takes 15.1 K cycles (7.3, see tsubame25), a put 5.9 K (7); a
// poll 353 - 184 cycles of a fork (table 2). [assumed] that the server is busy
// all the while, and that both figures hold for other machines.
constexpr double kActiveMessage = 15100 - 5900, kPoll = 353 - 184;

// The machine with atomics served by `how`, by default by hardware: by software
// in `fetch_add` nanoseconds, where a poll at a spawn takes `poll`.
Network served(Network net, std::optional<FetchAdd> how,
               double fetch_add = cycles(kActiveMessage, 2.93),
               double poll = cycles(kPoll, 2.93)) {
  net.fetch_add = how.value_or(FetchAdd::kNative);
  if (net.fetch_add == FetchAdd::kNative) return net;
  net.atomics.gap = net.atomics.service = ns(fetch_add);
  net.node_atomics.reset();
  if (net.fetch_add == FetchAdd::kPoll) net.poll = ns(poll);
  return net;
}

// Nanoseconds of an element of LCS. cluster22 §V-D prints the time of a block
// of 512 rows and columns, in milliseconds.
constexpr double element_of(double block) { return block * 1e6 / (512 * 512); }
constexpr double kElement = element_of(0.340);

// The time of a unit of each kind of work, in which rma::charge looks, from
// nanoseconds. [assumed]: bytes are copied at 10 GB/s, and an element of LCS
// takes the time of ito_a's where nothing else is printed. [assumed], since no
// paper prints them: a search node of TSP takes the time of a node of UTS times
// the ratio of their instructions, as callgrind counts them with SHA-1 in
// portable code: 280 (tsp --cities=20, seeds 1 and 2: 7.6 million more for
// 27,198 nodes more) of 2,665. An edge of BC has few instructions, and waits
// for a vertex in the second cache.
std::map<std::string, Time, std::less<>> costs(double fork,
                                               double context_switch,
                                               double task_stack, double node,
                                               double element = kElement,
                                               Time copy_byte = bandwidth(10)) {
  return {{"spawn", ns(fork / 2)},
          {"join", ns(fork / 2)},
          {"context_switch", ns(context_switch)},
          {"task_stack", ns(task_stack)},
          {"copy_byte", copy_byte},
          {"uts_node", ns(node)},
          {"lcs_element", ns(element)},
          {"bc_edge", ns(4)},
          {"tsp_node", ns(node) * 280 / 2665}};
}

// Nanoseconds of a message of InfiniBand's adapters, which make 7.7 million
// reads and atomics a second.
// [derived] of ito_a, table II, RecPFor: where 36 ranks at each of 16 adapters
// do little but look for tasks (RtC), a steal takes 59.5 us, where they do so a
// 13th as often (Full) 29.3. It is seven operations, 4.3 us more for each; one
// of them, the copy of a task, takes 8.53 and 4.18. By cluster22's artifact it
// is so with every N; with 2^15 the medians of the copy are 7.6 and 4.3: 3.3 us
// more. Here, with that N and without pauses between attempts, which the paper
// does not have (child_rtc_sim pfor --recursive --n=32768 --ranks=576
// --backoff=1), each of a steal's six operations takes as much longer than
// where nothing waits (22.2 us a steal):
//     message      130    150 ns    the paper's
//     a steal     42.1   47.9 us    53.1, of seven operations
//     each more    3.3    4.3 us     3.3
// [assumed] of lotus, kassel and tsubame25, whose adapters are like these.
constexpr double kInfiniBandMessage = 130;

// Nanoseconds of a task's stack. cluster22 prints for PFor how much longer Full
// threads take than RtC threads, whose tasks are calls: seconds, on `cores`, of
// 5 loops over n.
constexpr double task_stack(double longer, double cores, double n) {
  return longer * 1e9 * cores / (5 * n);
}
// [assumed] where nothing is printed: 0.6 of a switch, as on ito_a (0.56) and
// wisteria_o (0.58).
constexpr double task_stack(double context_switch) {
  return 0.6 * context_switch;
}

Network ito_a(std::optional<FetchAdd> how) {
  // [V-C] 5.27 million nodes/s serial, 189.8 ns, and 18 % overhead on that.
  // [derived] 42.7 ns a fork: 128 cycles of 3 GHz, where jip16 prints 184 for
  // its Xeon and hpdc15 100 (table 2 of both).
  constexpr double kNode = 1000 / 5.27, kFork = fork(kNode, 0.18);
  // [assumed] jip16's 1.1 K cycles, at 3 GHz (table I).
  constexpr double kSwitch = cycles(1100, 3.0);
  // [derived] table II, PFor with N = 2^25: 206 ns.
  constexpr double kStack = task_stack(3.07 - 3.01, 576, 1 << 25);
  // [derived] table II, PFor: 1789 bytes took 5.85 us, 56 took 3.76: 1.206 ns.
  constexpr double kByte = (5850 - 3760) / (1789 - 56.0);
  // [derived] table II, PFor, continuation stealing: 28.8 us with 1789 bytes of
  // frames: 3.81 us. What is left of the 56 bytes' copy says 3.69.
  constexpr double kRoundTrip = round_trip(28800, 1789, kByte);
  // [table I]
  Network net = cluster(
      "ito_a", "36 cores of Xeon Gold 6154 a node, InfiniBand EDR (cluster22)",
      36);
  net.between_nodes = {.latency = latency(kRoundTrip), .per_byte = ns(kByte)};
  // [table II] 576 cores.
  net.measured_nodes = 576 / 36;
  // [assumed] a fat tree of full bisection, of EDR's switches with 36 ports
  // [maker], that a job's nodes lie side by side in. [maker] 90 ns a switch.
  net.topology = {.kind = Topology::Kind::kTree, .arity = 18};
  net.hop = ns(90);
  net.adapter.message = ns(kInfiniBandMessage);
  // [table I] EDR: 100 Gb/s.
  net.link_per_byte = net.adapter.per_byte = bandwidth(12.5);
  net.costs = costs(kFork, kSwitch, kStack, kNode);
  return served(std::move(net), how);
}

Network wisteria_o(std::optional<FetchAdd> how) {
  // [V-C] 1.55 million nodes/s serial, 645.2 ns, and 27 % overhead on that.
  // [derived] 217.7 ns a fork: 479 cycles of 2.2 GHz, where hpdc15 prints 413
  // for its SPARC64 (table 2).
  constexpr double kNode = 1000 / 1.55, kFork = fork(kNode, 0.27);
  // [assumed] hpdc15's 3.5 K cycles, at 2.2 GHz (table I).
  constexpr double kSwitch = cycles(3500, 2.2);
  // [derived] table II, PFor: 916 ns. N is 72 * 2^20, by cluster22's artifact.
  constexpr double kStack = task_stack(2.57 - 2.37, 1728, 72 << 20);
  // [derived] table II, PFor: 1289 bytes took 3.47 us, 56 took 2.91: 0.454 ns.
  constexpr double kByte = (3470 - 2910) / (1289 - 56.0);
  // [derived] table II, PFor, continuation stealing: 20.7 us with 1289 bytes of
  // frames: 2.87 us. What is left of the 56 bytes' copy says 2.88.
  constexpr double kRoundTrip = round_trip(20700, 1289, kByte);
  // [table I]
  Network net =
      cluster("wisteria_o", "48 cores of A64FX a node, Tofu D (cluster22)", 48);
  net.between_nodes = {.latency = latency(kRoundTrip), .per_byte = ns(kByte)};
  // [table II] 1728 cores.
  net.measured_nodes = 1728 / 48;
  // [V] a mesh of three dimensions "as close to a cube as possible"; [maker] of
  // nodes that have six.
  net.topology = {.kind = Topology::Kind::kTofu};
  // [assumed] a router and a link: a fifth of the 0.49 us [maker] that a put to
  // a neighbour takes.
  net.hop = ns(100);
  // [maker] Tofu D: 6.8 GB/s a link, a node's six interfaces 40.8.
  net.link_per_byte = bandwidth(6.8);
  net.adapter.per_byte = bandwidth(40.8);
  net.costs = costs(kFork, kSwitch, kStack, kNode, element_of(0.872));
  return served(std::move(net), how);
}

Network fx10(std::optional<FetchAdd> wanted) {
  const FetchAdd how = wanted.value_or(FetchAdd::kThread);
  // [hpdc15 table 1]
  constexpr double kGigahertz = 1.848;
  // [table 2] of a task. Its join only looks whether it has ended (5.4).
  constexpr double kFork = cycles(413, kGigahertz);
  // [6.3] suspend and resume, of a steal's 42 K. That it is 71 % of one with
  // iso-address, where a page fault of 21 K takes their place, says that they
  // are in it: 42 / (42 - 3.5 + 21) = 0.706; that they are 7.7 % of it does not
  // (8.3).
  constexpr double kSwitch = cycles(3500, kGigahertz);
  constexpr double kSteal = cycles(42000 - 3500, kGigahertz);
  // [6]
  constexpr double kFetchAdd = cycles(9800, kGigahertz);
  // [derived] table 4, depth 18: 439 billion nodes in 282.2 s on 3840 cores, of
  // which 1 % was not work (6.4; that is against 480 cores); less the forks.
  constexpr double kNode = 0.99 * 282.2 * 3840 / 439 - kForksPerNode * kFork;
  // [maker] Tofu: 5 GB/s a link; [assumed] that software adds nothing.
  constexpr double kByte = 0.2;
  // [derived] 6.3: a steal with 3055 bytes of frames is a fetch-and-add and six
  // READs and WRITEs: 2.49 us each.
  constexpr double kRoundTrip =
      round_trip(kSteal - kFetchAdd, 3055, kByte) * 7 / 6;
  // [6] one of 16 cores serves fetch-and-adds "from other nodes", in software:
  // those within a node are the processors', and atomic with respect to it.
  Network net = cluster("fx10",
                        "15 + 1 cores of SPARC64 IXfx a node, Tofu, software "
                        "fetch-and-add (hpdc15)",
                        15);
  net.between_nodes = {.latency = latency(kRoundTrip), .per_byte = ns(kByte)};
  // [derived] the time beyond the round trip; [assumed] that the server, or
  // whatever stands in for it, is busy all the while.
  net = served(std::move(net), how, kFetchAdd - kRoundTrip,
               cycles(kPoll, kGigahertz));
  if (how != FetchAdd::kNative) net.node_atomics = {.gap = ns(100)};
  net.node_serves_atomics = how == FetchAdd::kThread;
  net.link_per_byte = bandwidth(5);
  // [maker] a node's four interfaces.
  net.adapter.per_byte = bandwidth(20);
  net.costs = costs(kFork, kSwitch, task_stack(kSwitch), kNode);
  return net;
}

Network tsubame25(std::optional<FetchAdd> wanted) {
  const FetchAdd how = wanted.value_or(FetchAdd::kThread);
  // [jip16 table 1]
  constexpr double kGigahertz = 2.93;
  const bool assisted = how == FetchAdd::kThread;
  // [table 2] of a task, RDMA-emulated. Its join only looks whether it has
  // ended (5.4).
  constexpr double kFork = cycles(184, kGigahertz);
  // [7.3] suspend and resume, of a steal's 86 K and, AM-based, 61 K.
  const double switches = cycles(assisted ? 1100 : 800, kGigahertz);
  const double steal = cycles(assisted ? 86000 : 61000, kGigahertz) - switches;
  // [7] of 8 bytes, with a polling thread, as the RDMA-emulated implementation
  // has, and without one.
  const double put = cycles(assisted ? 8400 : 5900, kGigahertz);
  const double get = cycles(assisted ? 11600 : 8200, kGigahertz);
  // [derived] table 4: 439 billion nodes in 108.2 s on 1,800 cores, of which
  // 2 % was not work (7.4; that is against 225 cores); less the forks.
  constexpr double kNode = 0.98 * 108.2 * 1800 / 439 - kForksPerNode * kFork;
  // QDR: 4 lanes of 10 Gb/s, 8 bits in 10. [assumed] that software adds
  // nothing, and one of the node's adapters.
  constexpr double kByte = 0.25;
  // [derived] 7.3: a steal with 664 bytes of frames is four gets, two puts and
  // a fetch-and-add: 21.2 K cycles, and AM-based 15.1 K, which is 0.71 of that,
  // as of the gets and of the puts.
  const double fetch_add = steal - 4 * get - 2 * put - (664 - 8) * kByte;
  // [7] 1,800 cores for computation on 300 nodes.
  Network net =
      cluster("tsubame25",
              "6 + 6 cores of Xeon X5670 a node, InfiniBand QDR, assistant "
              "threads (jip16)",
              6);
  net.between_nodes = {.latency = latency(put), .per_byte = ns(kByte)};
  net.gets.service = ns(get - put);
  // [assumed] as a get, as of adapters that have atomics.
  net.atomics.service = net.gets.service;
  // [6.2] each worker serves fetch-and-adds at spawns and while it waits, or
  // has a core that does; [assumed] that either is busy all the while, and
  // serves those of its node likewise. [table 2] a poll.
  net = served(std::move(net), how, fetch_add - put, cycles(kPoll, kGigahertz));
  net.link_per_byte = net.adapter.per_byte = bandwidth(4);
  net.adapter.message = ns(kInfiniBandMessage);
  net.costs = costs(kFork, switches, task_stack(switches), kNode);
  return net;
}

Network lotus(std::optional<FetchAdd> how) {
  // [table 2] a task of UTS, which is a node.
  constexpr double kNode = 110;
  // [assumed] hpdc15's 100 cycles on a Xeon, jip16's 1.1 K for a switch; at
  // 2.3 GHz (5).
  constexpr double kFork = cycles(100, 2.3), kSwitch = cycles(1100, 2.3);
  // [5]
  Network net = cluster(
      "lotus", "48 cores of EPYC 7352 a node, InfiniBand EDR (icpp21)", 48);
  // [5] EDR: 100 Gb/s.
  net.link_per_byte = net.adapter.per_byte = bandwidth(12.5);
  net.adapter.message = ns(kInfiniBandMessage);
  // [assumed] a round trip of 2 us, and that software adds nothing to a byte.
  net.overhead = ns(200);
  net.between_nodes = {.latency = ns(900), .per_byte = net.link_per_byte};
  net.costs = costs(kFork, kSwitch, task_stack(kSwitch), kNode);
  return served(std::move(net), how);
}

// hybrid_glb_apgas18's cluster, the University of Kassel's. Its paper prints no
// times. [assumed] where nothing else is said: as lotus.
Network kassel(std::optional<FetchAdd> how) {
  // [maker] of the E5-2643 v4, without turbo.
  constexpr double kGigahertz = 3.4;
  // [assumed] as many cycles as of ito_a's Xeon: 569, which are 167.5 ns.
  constexpr double kNode = cycles(1000 / 5.27 * 3.0, kGigahertz);
  // [assumed] hpdc15's 100 cycles on a Xeon, jip16's 1.1 K for a switch.
  constexpr double kFork = cycles(100, kGigahertz);
  constexpr double kSwitch = cycles(1100, kGigahertz);
  Network net = lotus(how);
  net.name = "kassel";
  net.summary =
      "12 cores of Xeon E5-2643 v4 a node, InfiniBand FDR assumed "
      "(hybrid_glb_apgas18)";
  // [5] A place of the hybrid pool has a rank more, its manager, which has no
  // core of its own there: node_size=13.
  net.node_size = 12;
  // [assumed] InfiniBand FDR, since the paper does not say what joins its 12
  // nodes. [maker] 4 lanes of 14.06 Gb/s, 64 bits in 66: 6.8 GB/s.
  net.link_per_byte = bandwidth(4 * 14.0625 * 64 / 66 / 8);
  net.adapter.per_byte = net.between_nodes.per_byte = net.link_per_byte;
  net.costs = costs(kFork, kSwitch, task_stack(kSwitch), kNode);
  return net;
}

Network loopback(std::optional<FetchAdd> how) {
  Network net;
  net.name = "loopback";
  net.summary = "a laptop: what shm does there";
  net.node_size = 1 << 30;
  net.overhead = ns(10);
  net.between_nodes = net.within_node = {.latency = ns(20), .per_byte = 100};
  net.atomics.gap = ns(5);
  net.node_atomics = net.atomics;
  net.idle = ns(50);
  net.costs = costs(40, 20, 10, 190);
  return served(std::move(net), how, 100, 10);
}

Network ideal(std::optional<FetchAdd> how) {
  Network net;
  net.name = "ideal";
  net.summary = "operations in 2 ns, work that costs nothing but UTS nodes";
  net.between_nodes.latency = net.within_node.latency = ns(1);
  net.idle = ns(10);
  net.costs = costs(0, 0, 0, 200, kElement, 0);
  return served(std::move(net), how, 0, 0);
}

}  // namespace

std::vector<Network> presets(std::optional<FetchAdd> fetch_add) {
  std::vector<Network> presets;
  for (const auto make :
       {ito_a, wisteria_o, fx10, tsubame25, lotus, kassel, loopback, ideal})
    presets.push_back(make(fetch_add));
  return presets;
}

}  // namespace magpie::rma::sim
