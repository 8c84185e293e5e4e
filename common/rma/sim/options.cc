#include "common/rma/sim/options.h"

#include <array>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/flags/flags.h"
#include "common/rma/machine.h"

namespace magpie::rma::sim {
namespace {

constexpr int kDefaultRanks = 4;
constexpr int kMaxRanks = 1 << 20;
constexpr char kDefaultNet[] = "loopback";

void add_net(CLI::App& app, Options* options) {
  std::string help = absl::StrCat(
      "the simulated machine, and changes to it (--net=ito_a,latency=2us); "
      "custom changes ideal. Changes: ",
      network_keys(),
      ". A time or a bandwidth may be a percentage of the machine's "
      "(latency=120%).");
  for (const Network& net : presets())
    absl::StrAppend(&help, "\n", net.name, ": ", net.summary);
  flags::add_read(
      app, "--net",
      [options](const std::string& text) {
        options->net = parse_network(text);
      },
      help, "NAME[,KEY=VALUE,...]", kDefaultNet);
}

void add_exploration(CLI::App& app, Options* options) {
  flags::add_switch(app, "--explore", options->explore,
                    "draw latencies, preemption, the order of simultaneous "
                    "events and what --memory allows from --seed");
  flags::add_integer(app, "--seed", options->seed,
                     "seed of --explore; the same seed gives the same run");
  flags::add_read(
      app, "--seeds",
      [options](const std::string& text) {
        if (!parse_seeds(text))
          flags::refuse("--seeds",
                        text + " is not of the form A..B with A <= B");
        options->seeds = text;
      },
      "run once for each seed from A to B, until one fails", "A..B");
  flags::add_integer(app, "--jobs", options->jobs,
                     "number of seeds that run at a time; by default, and with "
                     "0, one on each core",
                     0, 1024);
  flags::add_integer(app, "--seconds_per_seed", options->seconds_per_seed,
                     "real seconds after which a seed has failed", 1, 86400);
  flags::add_text(app, "--seeds_output", options->seeds_output,
                  "file for the output of all runs of --seeds that end well",
                  "FILE");
  static constexpr std::array kModels = {"sc", "tso", "pso"};
  flags::add_choice(app, "--memory", options->memory,
                    "how others see a rank's stores to its own words: at once "
                    "(sc), later but in order (tso), later and relaxed ones in "
                    "any order (pso)",
                    kModels);
}

}  // namespace

void add_options(CLI::App& app, Options* options) {
  *options = {};
  set_defaults(options);
  flags::add_integer(app, "--ranks", options->ranks,
                     "number of simulated ranks", 1, kMaxRanks);
  add_net(app, options);
  flags::add_optional(
      app, "--log", options->log, "-",
      "print what ranks do to each other, as records, to standard error or to "
      "a file (--log=FILE); bench/explain draws them",
      "FILE");
  flags::add_switch(
      app, "--sim_stats", options->stats,
      "print virtual time, events and their hash to standard error");
  flags::add_seconds(
      app, "--progress", options->progress,
      "real seconds after which a line on a terminal tells how far it is");
  flags::add_bytes(app, "--rank_stack_bytes", options->stack_bytes,
                   "size of each rank's stack outside the region", 16 << 10,
                   64 << 20);
  flags::describe_default(
      flags::add_seconds(app, "--patience", options->patience,
                         "virtual time without any work after which ranks that "
                         "only poll count as livelocked",
                         1e-9),
      "1, with more than 64 ranks less, at least 0.01");
  const std::string group =
      flags::begin_group(app, "Exploring schedules on the sim network");
  add_exploration(app, options);
  flags::begin_group(app, group);
}

void set_defaults(Options* options) {
  if (options->ranks == 0) options->ranks = kDefaultRanks;
  if (options->net.name.empty()) options->net = parse_network(kDefaultNet);
  static const int cores = internal::available_cores();
  if (options->jobs == 0) options->jobs = cores;
}

void check(const Options& options) {
  const Network& net = options.net;
  const int nodes = net.node_of(options.ranks - 1) + 1;
  if (nodes > net.topology.room()) {
    flags::die(absl::StrCat(
        "--net=", net.name, ": its topology has room for ", net.topology.room(),
        " nodes; --ranks=", options.ranks, " takes ", nodes));
  }
  const bool has_seed = options.seed != 1, has_seeds = !options.seeds.empty();
  const std::string seed = absl::StrCat("--seed=", options.seed);
  const std::string seeds = "--seeds=" + options.seeds;
  if (has_seeds && !options.log.empty())
    flags::die("--log with " + seeds + "; it is for one --seed");
  if (has_seeds && has_seed)
    flags::die(seed + " with " + seeds + "; allowed: one of the two");
  if (!options.seeds_output.empty() && !has_seeds)
    flags::die("--seeds_output=" + options.seeds_output + " needs --seeds");
  if (options.explore) return;
  if (options.memory != MemoryModel::kSc)
    flags::die("--memory: tso and pso need --explore");
  if (has_seeds) flags::die(seeds + " needs --explore");
  if (has_seed) flags::die(seed + " needs --explore");
}

}  // namespace magpie::rma::sim
