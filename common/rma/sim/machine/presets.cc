// The papers' machines. Behind each figure stands where it is from:
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

// Between ranks of one node, and to itself.
constexpr Path kSharedMemory = {
    .latency = ns(400),  // [assumed] MPI-3 RMA through shared memory
    .per_byte = 100,     // [assumed] 10 GB/s
};

Network ito_a() {
  return {
      .name = "ito_a",
      .summary =
          "36 cores of Xeon Gold 6154 a node, InfiniBand EDR (cluster22)",
      .node_size = 36,      // [table I]
      .overhead = ns(300),  // [assumed] a part of the round trip
      .between_nodes =
          {// [derived] PFor, continuation stealing: a steal took 28.8 us with
           // 1789 bytes of frames (table II): (28.8 - 1789 * 0.001206) / 8 =
           // 3.330 us a round trip. The copies of table II say the same: 3.69.
           .latency = ns((3330 - 300) / 2.0),
           // [derived] table II, PFor: 1789 bytes took 5.85 us, 56 took 3.76.
           .per_byte = 1206},
      .within_node = kSharedMemory,
      .gets = {.gap = ns(20)},      // [assumed]
      .puts = {.gap = ns(20)},      // [assumed]
      .atomics = {.gap = ns(100)},  // [assumed]
      .idle = ns(200),              // [assumed] a look at the network
      .cost = {ns(112),             // [derived] 18 % overhead (V-C) on
               ns(112),             // 189.8 ns a node / 0.1525 tasks
               cycles(1100, 3.0),   // [assumed] jip16's 1.1 K cycles, at 3 GHz
               100,                 // [assumed] 10 GB/s
               ns(1000 / 5.27)},    // [V-C] 5.27 million nodes/s serial
  };
}

Network wisteria_o() {
  return {
      .name = "wisteria_o",
      .summary = "48 cores of A64FX a node, Tofu D (cluster22)",
      .node_size = 48,      // [table I]
      .overhead = ns(300),  // [assumed] a part of the round trip
      .between_nodes =
          {// [derived] as ito_a: 20.7 us with 1289 bytes: 2.514 us.
           .latency = ns((2514 - 300) / 2.0),
           // [derived] table II, PFor: 1289 bytes took 3.47 us, 56 took 2.91.
           .per_byte = 454},
      .within_node = kSharedMemory,
      .gets = {.gap = ns(20)},      // [assumed]
      .puts = {.gap = ns(20)},      // [assumed]
      .atomics = {.gap = ns(100)},  // [assumed]
      .idle = ns(200),              // [assumed]
      .cost = {ns(571),             // [derived] 27 % overhead (V-C) on
               ns(571),             // 645.2 ns a node / 0.1525 tasks
               cycles(3500, 2.2),   // [assumed] hpdc15's 3.5 K cycles
               100,                 // [assumed] 10 GB/s
               ns(1000 / 1.55)},    // [V-C] 1.55 million nodes/s serial
  };
}

Network fx10() {
  constexpr double kGigahertz = 1.848;  // [hpdc15 table 1]
  return {
      .name = "fx10",
      .summary =
          "15 + 1 cores of SPARC64 IXfx a node, Tofu, software "
          "fetch-and-add (hpdc15)",
      .node_size = 15,      // [6.1] the 16th core serves fetch-and-add
      .overhead = ns(300),  // [assumed] a part of the round trip
      .between_nodes =
          {// [derived] a steal takes 42 K cycles with 3055 bytes of frames,
           // 3.5 K of them to suspend and resume (6.3): 20.83 us for two
           // atomics of 9.8 K cycles, six round trips and the bytes:
           // (20.83 - 2 * 5.303 - 3055 * 0.0002) / 6 = 1.602 us.
           .latency = ns((1602 - 300) / 2.0),
           .per_byte = 200},  // [assumed] Tofu's 5 GB/s
      .within_node = kSharedMemory,
      .gets = {.gap = ns(20)},  // [assumed]
      .puts = {.gap = ns(20)},  // [assumed]
      // [6.1] 9.8 K cycles = 5.303 us in all; what is not the round trip is
      // the server's [derived], which serves one at a time.
      .atomics = {.gap = ns(5303 - 1602), .service = ns(5303 - 1602)},
      .idle = ns(200),                    // [assumed]
      .cost = {cycles(413, kGigahertz),   // [table 2]
               cycles(413, kGigahertz),   // [assumed] as much again
               cycles(3500, kGigahertz),  // [6.3] suspend and resume
               200,                       // [assumed] 5 GB/s
               // [derived] at most: 110 billion nodes in 71.62 s on 3840
               // cores (table 4)
               ns(2500)},
  };
}

Network tsubame25() {
  constexpr double kGigahertz = 2.93;  // [jip16 table 1]
  // With a polling thread, as in the RDMA-emulated implementation (section 7).
  constexpr Time kPut = cycles(8400, kGigahertz),
                 kGet = cycles(11600, kGigahertz);
  return {
      .name = "tsubame25",
      .summary =
          "6 + 6 cores of Xeon X5670 a node, InfiniBand QDR, assistant "
          "threads (jip16)",
      .node_size = 6,       // [7] 1,800 cores for computation on 300 nodes
      .overhead = ns(300),  // [assumed] a part of the round trip
      .between_nodes = {.latency = (kPut - ns(300)) / 2,  // [7] put of 8 bytes
                        .per_byte = 250},  // [assumed] QDR's 4 GB/s
      .within_node = kSharedMemory,
      .gets = {.gap = ns(20),            // [assumed]
               .service = kGet - kPut},  // [7] get of 8 bytes
      .puts = {.gap = ns(20)},           // [assumed]
      // [derived] a steal takes 86 K cycles with 664 bytes of frames, 1.1 K of
      // them to suspend and resume (7.3). Less five gets, a put and the bytes,
      // that is 9.0 K for each of two atomics.
      .atomics = {.gap = cycles(9000, kGigahertz) - kPut,
                  .service = cycles(9000, kGigahertz) - kPut},
      .idle = ns(200),                    // [assumed]
      .cost = {cycles(184, kGigahertz),   // [table 2]
               cycles(184, kGigahertz),   // [assumed] as much again
               cycles(1100, kGigahertz),  // [7.3] suspend and resume
               100,                       // [assumed] 10 GB/s
               // [derived] at most: 439 billion nodes in 108.2 s on 1,800 cores
               // (table 4)
               ns(444)},
  };
}

Network lotus() {
  return {
      .name = "lotus",
      .summary = "48 cores of EPYC 7352 a node, InfiniBand EDR (icpp21)",
      .node_size = 48,                       // [5]
      .overhead = ns(200),                   // [assumed]
      .between_nodes = {.latency = ns(900),  // [assumed] ConnectX-6: 2 us
                        .per_byte = 80},     // [5] EDR, 100 Gb/s
      .within_node = kSharedMemory,
      .gets = {.gap = ns(20)},      // [assumed]
      .puts = {.gap = ns(20)},      // [assumed]
      .atomics = {.gap = ns(100)},  // [assumed]
      .idle = ns(200),              // [assumed]
      .cost = {ns(50), ns(50),      // [assumed]
               cycles(1100, 2.3),   // [assumed] jip16's 1.1 K cycles
               100,                 // [assumed] 10 GB/s
               ns(200)},            // [assumed]
  };
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
