// The papers' machines. Above each figure stands where it is from:
//   [table II] and the like: printed in the paper that the preset names;
//   [derived]: follows from printed figures, as said there;
//   [assumed]: no paper says. Of the usual order, and not tuned to any result.
//
// A steal of impl/uniaddr is eight round trips: gets of base and top (empty
// check), base, top, the entry and the frames; a fetch-and-add; a put with its
// flush; a swap. Where a paper prints what one steal took, the round trip is
// derived from that:
//
//   steal = 8 * (overhead + 2 * latency) + services + frames * per_byte
//
// In UTS (T1L) our program spawns 0.1525 tasks a node (spawns / nodes of
// `bench:cont_greedy uts --tree=T1L --json`). Where a paper prints how much
// slower its runtime is on one core than the serial program, spawn + join is
// that overhead: node * overhead / 0.1525.

#include "common/rma/sim/machine/network.h"

namespace magpie::rma::sim {
namespace {

constexpr Time ns(double n) {
  return static_cast<Time>(n * static_cast<double>(kNanosecond) + 0.5);
}

// Of a processor with so many gigahertz.
constexpr Time cycles(double n, double gigahertz) { return ns(n / gigahertz); }

// [assumed] what no paper says of any of the machines, nor of a byte copied:
// 10 GB/s.
constexpr Time kCopyByte = 100;
// A part of the round trip.
constexpr Time kOverhead = ns(300);

Network cluster(const char* name, const char* summary, int node_size) {
  Network net;
  net.name = name;
  net.summary = summary;
  net.node_size = node_size;
  net.overhead = kOverhead;
  // MPI-3 RMA through shared memory, between ranks of one node and to itself,
  // at 10 GB/s.
  net.within_node = {.latency = ns(400), .per_byte = 100};
  net.gets = net.puts = {.gap = ns(20)};
  net.atomics = {.gap = ns(100)};
  // A look at the network.
  net.idle = ns(200);
  return net;
}

Network ito_a() {
  // [V-C] 5.27 million nodes/s serial, and [derived] from 18 % overhead on
  // those 189.8 ns a node / 0.1525 tasks.
  constexpr Time kNode = ns(1000 / 5.27), kSpawn = ns(112);
  // [assumed] jip16's 1.1 K cycles, at 3 GHz.
  constexpr Time kSwitch = cycles(1100, 3.0);
  // [table I]
  Network net = cluster(
      "ito_a", "36 cores of Xeon Gold 6154 a node, InfiniBand EDR (cluster22)",
      36);
  // [derived] PFor, continuation stealing: a steal took 28.8 us with 1789
  // bytes of frames (table II): (28.8 - 1789 * 0.001206) / 8 = 3.330 us a
  // round trip. The copies of table II say the same: 3.69.
  // A byte [derived] table II, PFor: 1789 bytes took 5.85 us, 56 took 3.76.
  net.between_nodes = {.latency = ns((3330 - 300) / 2.0), .per_byte = 1206};
  net.cost = {kSpawn, kSpawn, kSwitch, kCopyByte, kNode};
  return net;
}

Network wisteria_o() {
  // [V-C] 1.55 million nodes/s serial, and [derived] from 27 % overhead on
  // those 645.2 ns a node / 0.1525 tasks.
  constexpr Time kNode = ns(1000 / 1.55), kSpawn = ns(571);
  // [assumed] hpdc15's 3.5 K cycles.
  constexpr Time kSwitch = cycles(3500, 2.2);
  // [table I]
  Network net =
      cluster("wisteria_o", "48 cores of A64FX a node, Tofu D (cluster22)", 48);
  // [derived] as ito_a: 20.7 us with 1289 bytes: 2.514 us.
  // A byte [derived] table II, PFor: 1289 bytes took 3.47 us, 56 took 2.91.
  net.between_nodes = {.latency = ns((2514 - 300) / 2.0), .per_byte = 454};
  net.cost = {kSpawn, kSpawn, kSwitch, kCopyByte, kNode};
  return net;
}

Network fx10() {
  // [hpdc15 table 1]
  constexpr double kGigahertz = 1.848;
  // [6.1] 9.8 K cycles = 5.303 us in all; what is not the round trip is the
  // server's [derived], which serves one at a time.
  constexpr Time kServer = ns(5303 - 1602);
  // [table 2], and [assumed] as much again for the join.
  constexpr Time kSpawn = cycles(413, kGigahertz);
  // [6.3] suspend and resume.
  constexpr Time kSwitch = cycles(3500, kGigahertz);
  // [derived] at most: 110 billion nodes in 71.62 s on 3840 cores (table 4).
  constexpr Time kNode = ns(2500);
  // [assumed] 5 GB/s, Tofu's and the memory's.
  constexpr Time kByte = 200;
  // [6.1] the 16th core serves fetch-and-add.
  Network net = cluster("fx10",
                        "15 + 1 cores of SPARC64 IXfx a node, Tofu, software "
                        "fetch-and-add (hpdc15)",
                        15);
  // [derived] a steal takes 42 K cycles with 3055 bytes of frames, 3.5 K of
  // them to suspend and resume (6.3): 20.83 us for two atomics of 9.8 K
  // cycles, six round trips and the bytes:
  // (20.83 - 2 * 5.303 - 3055 * 0.0002) / 6 = 1.602 us.
  net.between_nodes = {.latency = ns((1602 - 300) / 2.0), .per_byte = kByte};
  net.atomics = {.gap = kServer, .service = kServer};
  net.cost = {kSpawn, kSpawn, kSwitch, kByte, kNode};
  return net;
}

Network tsubame25() {
  // [jip16 table 1]
  constexpr double kGigahertz = 2.93;
  // [7] of 8 bytes, with a polling thread, as in the RDMA-emulated
  // implementation.
  constexpr Time kPut = cycles(8400, kGigahertz),
                 kGet = cycles(11600, kGigahertz);
  // [derived] a steal takes 86 K cycles with 664 bytes of frames, 1.1 K of them
  // to suspend and resume (7.3). Less five gets, a put and the bytes, that is
  // 9.0 K for each of two atomics.
  constexpr Time kAtomic = cycles(9000, kGigahertz) - kPut;
  // [table 2], and [assumed] as much again for the join.
  constexpr Time kSpawn = cycles(184, kGigahertz);
  // [7.3] suspend and resume.
  constexpr Time kSwitch = cycles(1100, kGigahertz);
  // [derived] at most: 439 billion nodes in 108.2 s on 1,800 cores (table 4).
  constexpr Time kNode = ns(444);
  // [7] 1,800 cores for computation on 300 nodes.
  Network net =
      cluster("tsubame25",
              "6 + 6 cores of Xeon X5670 a node, InfiniBand QDR, assistant "
              "threads (jip16)",
              6);
  // A byte [assumed]: QDR's 4 GB/s.
  net.between_nodes = {.latency = (kPut - kOverhead) / 2, .per_byte = 250};
  net.gets = {.gap = net.gets.gap, .service = kGet - kPut};
  net.atomics = {.gap = kAtomic, .service = kAtomic};
  net.cost = {kSpawn, kSpawn, kSwitch, kCopyByte, kNode};
  return net;
}

Network lotus() {
  // [assumed], as all times here are but for the network's bandwidth; a switch
  // takes jip16's 1.1 K cycles.
  constexpr Time kSpawn = ns(50), kSwitch = cycles(1100, 2.3), kNode = ns(200);
  // [5]
  Network net = cluster(
      "lotus", "48 cores of EPYC 7352 a node, InfiniBand EDR (icpp21)", 48);
  net.overhead = ns(200);
  // ConnectX-6: 2 us. A byte [5]: EDR, 100 Gb/s.
  net.between_nodes = {.latency = ns(900), .per_byte = 80};
  net.cost = {kSpawn, kSpawn, kSwitch, kCopyByte, kNode};
  return net;
}

Network loopback() {
  return {
      .name = "loopback",
      .summary = "a laptop: what shm does there",
      .node_size = 1 << 30,
      .overhead = ns(10),
      .between_nodes = {.latency = ns(20), .per_byte = 100},
      .within_node = {.latency = ns(20), .per_byte = 100},
      .gets = {},
      .puts = {},
      .atomics = {.gap = ns(5)},
      .idle = ns(50),
      .cost = {ns(20), ns(20), ns(20), 100, ns(190)},
  };
}

Network ideal() {
  return {
      .name = "ideal",
      .summary = "operations in 2 ns, work that costs nothing but UTS nodes",
      .node_size = 1,
      .overhead = 0,
      .between_nodes = {.latency = ns(1)},
      .within_node = {.latency = ns(1)},
      .gets = {},
      .puts = {},
      .atomics = {},
      .idle = ns(10),
      .cost = {0, 0, 0, 0, ns(200)},
  };
}

}  // namespace

const std::vector<Network>& presets() {
  static const std::vector<Network>* const kPresets = new std::vector<Network>{
      ito_a(), wisteria_o(), fx10(), tsubame25(), lotus(), loopback(), ideal(),
  };
  return *kPresets;
}

}  // namespace magpie::rma::sim
