// The presets, compared with what the papers print: a change of one figure
// shows in others that a paper gives for the same machine.

#include <gtest/gtest.h>

#include "common/rma/sim/machine/network.h"

namespace magpie::rma::sim {
namespace {

double ns(Time time) {
  return static_cast<double>(time) / static_cast<double>(kNanosecond);
}

double way_and_back(const Network& net) {
  return ns(net.overhead + 2 * net.between_nodes.latency);
}
double get(const Network& net, double bytes) {
  return way_and_back(net) + ns(net.gets.service) +
         bytes * ns(net.between_nodes.per_byte);
}
double put(const Network& net) { return way_and_back(net); }
double fetch_add(const Network& net) {
  return way_and_back(net) + ns(net.atomics.service);
}

// Time of a steal between nodes (hpdc15 and jip16, table 3): three READs of
// words, one of frames, a fetch-and-add and two WRITEs.
double steal(const Network& net, double frames) {
  return 3 * get(net, 0) + get(net, frames) + fetch_add(net) + 2 * put(net);
}

double fork(const Network& net) {
  return ns(net.cost_of("spawn") + net.cost_of("join"));
}

// Time of a node of the papers' trees, whose branching factor is 4, forked over
// every child.
double uts_node(const Network& net) {
  return ns(net.cost_of("uts_node")) + 0.8 * fork(net);
}

// ------------------------------------------------------------------- cluster22

constexpr double kT1lNodes = 102'181'082;

TEST(Presets, ItoAIsThatOfCluster22) {
  const Network net = parse_network("ito_a");
  const double serial = ns(net.cost_of("uts_node")) * kT1lNodes * 1e-9;
  EXPECT_NEAR(serial, 19.4, 0.05);                                     // V-C
  EXPECT_NEAR(uts_node(net) * kT1lNodes * 1e-9, 1.18 * serial, 0.01);  // V-C
  EXPECT_NEAR(steal(net, 1789), 28'800, 50);  // table II
  // The copies of frames and of child stealing's tasks, from which only the
  // slope is derived.
  EXPECT_NEAR(get(net, 56), 3'760, 0.04 * 3'760);
  EXPECT_NEAR(get(net, 1789), 5'850, 0.02 * 5'850);
  // Table II: PFor on 576 cores took Full threads 0.06 s longer than RtC ones.
  EXPECT_NEAR(ns(net.cost_of("task_stack")) * 5 * (1 << 25) / 576, 0.06e9,
              0.001e9);
  // Between what hpdc15 and jip16 print for Xeons: 100 and 184 cycles.
  EXPECT_GT(fork(net) * 3.0, 100);
  EXPECT_LT(fork(net) * 3.0, 184);
}

TEST(Presets, WisteriaOIsThatOfCluster22) {
  const Network net = parse_network("wisteria_o");
  const double serial = ns(net.cost_of("uts_node")) * kT1lNodes * 1e-9;
  EXPECT_NEAR(serial, 65.9, 0.05);
  EXPECT_NEAR(uts_node(net) * kT1lNodes * 1e-9, 1.27 * serial, 0.01);
  EXPECT_NEAR(steal(net, 1289), 20'700, 50);
  EXPECT_NEAR(get(net, 56), 2'910, 0.01 * 2'910);
  EXPECT_NEAR(get(net, 1289), 3'470, 0.01 * 3'470);
  // Table II: PFor on 1728 cores took Full threads 0.20 s longer than RtC ones.
  EXPECT_NEAR(ns(net.cost_of("task_stack")) * 5 * 75'497'472 / 1728, 0.2e9,
              0.001e9);
  // hpdc15 prints 413 for an older SPARC64.
  EXPECT_NEAR(fork(net) * 2.2, 413, 0.2 * 413);
}

// --------------------------------------------------------------- hpdc15, jip16

TEST(Presets, Fx10IsThatOfHpdc15) {
  const Network net = parse_network("fx10");
  const double ghz = 1.848;
  EXPECT_NEAR(fetch_add(net) * ghz, 9'800, 5);                     // 6
  EXPECT_NEAR(fork(net) * ghz, 413, 1);                            // table 2
  EXPECT_NEAR(ns(net.cost_of("context_switch")) * ghz, 3'500, 1);  // 6.3
  EXPECT_NEAR(steal(net, 3055) * ghz, 42'000 - 3'500, 50);         // 6.3
  // Table 4, both depths, with the 97 and 99 % of 6.4.
  EXPECT_NEAR(uts_node(net) * 110 / 3840 / 0.97, 71.62, 0.01 * 71.62);
  EXPECT_NEAR(uts_node(net) * 439 / 3840 / 0.99, 282.2, 0.005 * 282.2);
  // Table 4, Binary Task Creation of depths 38 and 39 (its times stand in each
  // other's place: 6.4 says 16.7 and 16.5 billion tasks a second), with the 97
  // and 98 % of 6.4. A task is a fork and no more.
  EXPECT_NEAR(fork(net) * 550 / 3840 / 0.97, 33.37, 0.015 * 33.37);
  EXPECT_NEAR(fork(net) * 1099 / 3840 / 0.98, 65.67, 0.015 * 65.67);
}

TEST(Presets, Tsubame25IsThatOfJip16) {
  const Network net = parse_network("tsubame25");
  const double ghz = 2.93;
  EXPECT_NEAR(get(net, 0) * ghz, 11'600, 5);                       // 7
  EXPECT_NEAR(put(net) * ghz, 8'400, 5);                           // 7
  EXPECT_NEAR(fork(net) * ghz, 184, 1);                            // table 2
  EXPECT_NEAR(ns(net.cost_of("context_switch")) * ghz, 1'100, 1);  // 7.3
  EXPECT_NEAR(steal(net, 664 - 8) * ghz, 86'000 - 1'100, 50);      // 7.3
  EXPECT_NEAR(uts_node(net) * 439 / 1800 / 0.98, 108.2,
              0.005 * 108.2);  // table 4
  // A figure that does not agree: Binary Task Creation takes 46.2 ns a task,
  // which is 135 cycles, where table 2 has 184.
  EXPECT_NEAR(fork(net) * 4398 / 1800 / 0.99, 1.37 * 113.0, 0.01 * 113.0);
  // The AM-based implementation, where no thread polls.
  const Network am = parse_network("tsubame25,fetch_add=poll");
  EXPECT_NEAR(get(am, 0) * ghz, 8'200, 5);
  EXPECT_NEAR(put(am) * ghz, 5'900, 5);
  EXPECT_NEAR((fork(am) + ns(am.poll)) * ghz, 353, 1);          // table 2
  EXPECT_NEAR(ns(am.cost_of("context_switch")) * ghz, 800, 1);  // 7.3
  EXPECT_NEAR(steal(am, 664 - 8) * ghz, 61'000 - 800, 50);
  // The same implementation, from printed figures alone: a steal of 61 K
  // cycles, suspend and resume 0.8 K, gets 8.2 K, puts 5.9 K. What is left for
  // its one fetch-and-add is shorter by the same factor as gets and puts are.
  // With two, or with eight operations, it would not be.
  const double unpolled = 61 - 0.8 - 4 * 8.2 - 2 * 5.9;
  EXPECT_NEAR(unpolled * 1000 / (fetch_add(net) * ghz), 8.2 / 11.6, 0.04);
}

// ---------------------------------------------------------- hybrid_glb_apgas18

// The paper prints no times: only the nodes are known, and a core's speed is
// that of another Xeon by its clock.
TEST(Presets, KasselIsThatOfHybridGlb) {
  const Network net = parse_network("kassel"), ito = parse_network("ito_a");
  EXPECT_EQ(net.node_of(12 * 12 - 1), 11);  // 5: 144 workers on 12 nodes
  EXPECT_EQ(net.node_of(11), 0);
  EXPECT_EQ(net.node_of(12), 1);
  EXPECT_NEAR(ns(net.cost_of("uts_node")) * 3.4,
              ns(ito.cost_of("uts_node")) * 3.0, 1);
  EXPECT_NEAR(fork(net) * 3.4, 100, 0.01);
  EXPECT_NEAR(way_and_back(net), 2'000, 0.01);
  // With a manager besides the workers of each node.
  const Network managed = parse_network("kassel,node_size=13");
  EXPECT_EQ(managed.node_of(12 * 13 - 1), 11);
  EXPECT_EQ(managed.node_of(12), 0);
  EXPECT_EQ(managed.cost_of("uts_node"), net.cost_of("uts_node"));
}

// ----------------------------------------------------------------------- links

// A target is not busy for longer than the operation's own bytes take.
TEST(Presets, SoftwareIsNotFasterThanTheLink) {
  for (const Network& net : presets()) {
    EXPECT_LE(net.link_per_byte, net.between_nodes.per_byte) << net.name;
    EXPECT_LE(net.adapter.per_byte, net.link_per_byte) << net.name;
  }
}

}  // namespace
}  // namespace magpie::rma::sim
