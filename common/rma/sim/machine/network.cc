#include "common/rma/sim/machine/network.h"

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "common/flags/flags.h"

namespace magpie::rma::sim {
namespace {

[[noreturn]] void refuse(const std::string& why) {
  flags::refuse("--net", why);
}

// Parses "120%".
bool parse_factor(absl::string_view text, double* factor) {
  double percent = 0;
  if (!absl::ConsumeSuffix(&text, "%") || !absl::SimpleAtod(text, &percent) ||
      !(percent >= 1) || percent > 1000) {
    return false;
  }
  *factor = percent / 100;
  return true;
}

Time times(double factor, Time time) {
  return static_cast<Time>(static_cast<double>(time) * factor + 0.5);
}

// Parses "1.5us", to a quarter of a nanosecond, which is what absl::Duration
// resolves; or a factor.
bool parse_time(absl::string_view text, Time* time) {
  double factor = 0;
  if (parse_factor(text, &factor)) {
    *time = times(factor, *time);
    return true;
  }
  absl::Duration duration;
  if (!absl::ParseDuration(text, &duration) ||
      duration < absl::ZeroDuration() || duration > absl::Seconds(10)) {
    return false;
  }
  *time = static_cast<Time>(absl::ToDoubleNanoseconds(duration) *
                                static_cast<double>(kNanosecond) +
                            0.5);
  return true;
}

// Parses gigabytes a second, or a factor.
bool parse_bandwidth(absl::string_view text, Time* per_byte) {
  double factor = 0;
  if (parse_factor(text, &factor)) {
    *per_byte = times(1 / factor, *per_byte);
    return true;
  }
  double gigabytes = 0;
  if (!absl::SimpleAtod(text, &gigabytes) || !(gigabytes >= 0.001) ||
      gigabytes > 1000) {
    return false;
  }
  *per_byte = static_cast<Time>(1000 / gigabytes + 0.5);
  return true;
}

bool parse_ranks(absl::string_view text, int* ranks) {
  return absl::SimpleAtoi(text, ranks) && *ranks >= 1;
}

struct Key {
  std::string name;
  const char* allowed;
  std::function<bool(Network&, absl::string_view)> set;
};

constexpr char kTimes[] =
    "a time from 0 to 10s, as in 1.5us, or a percentage from 1 to 1000, as in "
    "120%";

constexpr char kBandwidths[] =
    "gigabytes a second, from 0.001 to 1000, or a percentage, as in 120%";

// Parses the time of a service, during which the interface is busy.
bool parse_service(absl::string_view text, Interface* interface) {
  double factor = 0;
  if (parse_factor(text, &factor)) {
    *interface = {.gap = times(factor, interface->gap),
                  .service = times(factor, interface->service)};
    return true;
  }
  if (!parse_time(text, &interface->service)) return false;
  interface->gap = interface->service;
  return true;
}

// A key for what `member` finds in the network.
template <typename Value, typename Member>
Key key(const std::string& name, const char* allowed,
        bool (*parse)(absl::string_view, Value*), Member member) {
  return {name, allowed, [=](Network& net, absl::string_view text) {
            return parse(text, &std::invoke(member, net));
          }};
}

Key cost_key(const std::string& name) {
  return key(name, kTimes, parse_time,
             [name](Network& net) -> Time& { return net.costs[name]; });
}

bool set_node_atomics(Network& net, absl::string_view text) {
  double factor = 0;
  if (parse_factor(text, &factor) && !net.node_atomics) return false;
  Interface by_processors = net.node_atomics.value_or(Interface{});
  net.node_atomics.reset();
  if (text == "adapter") return true;
  if (!parse_service(text, &by_processors)) return false;
  net.node_atomics = by_processors;
  return true;
}

std::optional<FetchAdd> parse_fetch_add(absl::string_view text) {
  constexpr std::array kFetchAddNames = {"native", "poll", "thread"};
  for (size_t i = 0; i < kFetchAddNames.size(); ++i)
    if (text == kFetchAddNames[i]) return static_cast<FetchAdd>(i);
  return std::nullopt;
}

// Only checks the value: parse_network has made the machine with it, since
// other figures depend on it.
bool check_fetch_add(Network&, absl::string_view text) {
  return parse_fetch_add(text).has_value();
}

bool set_atomic_server(Network& net, absl::string_view text) {
  net.node_serves_atomics = text == "node";
  return text == "node" || text == "rank";
}

bool set_writes(Network& net, absl::string_view text) {
  if (text != "atomic") return false;
  if (net.name != "fx10" && net.name != "tsubame25")
    refuse(absl::StrCat("writes=atomic on ", net.name,
                        "; allowed: on fx10 and tsubame25, whose papers unlock "
                        "by a WRITE"));
  net.writes_are_atomic = true;
  return true;
}

std::vector<Key> all_keys() {
  std::vector<Key> keys = {
      key("latency", kTimes, parse_time,
          [](Network& net) -> Time& { return net.between_nodes.latency; }),
      key("node_latency", kTimes, parse_time,
          [](Network& net) -> Time& { return net.within_node.latency; }),
      key("bandwidth", kBandwidths, parse_bandwidth,
          [](Network& net) -> Time& { return net.between_nodes.per_byte; }),
      key("node_bandwidth", kBandwidths, parse_bandwidth,
          [](Network& net) -> Time& { return net.within_node.per_byte; }),
      key("link_bandwidth", kBandwidths, parse_bandwidth,
          &Network::link_per_byte),
      key("adapter_bandwidth", kBandwidths, parse_bandwidth,
          [](Network& net) -> Time& { return net.adapter.per_byte; }),
      key("message", kTimes, parse_time,
          [](Network& net) -> Time& { return net.adapter.message; }),
      key("node_size", "a number of ranks, at least 1", parse_ranks,
          &Network::node_size),
      key("topology", kTopologies, parse_topology, &Network::topology),
      key("hop", kTimes, parse_time, &Network::hop),
      key("overhead", kTimes, parse_time, &Network::overhead),
      key("get", kTimes, parse_service, &Network::gets),
      key("put", kTimes, parse_service, &Network::puts),
      key("atomic", kTimes, parse_service, &Network::atomics),
      {"node_atomic",
       "adapter, or a time from 0 to 10s, as in 1.5us, or a percentage from 1 "
       "to 1000, as in 120%",
       set_node_atomics},
      {"atomic_server", "one of node, rank", set_atomic_server},
      {"fetch_add", "one of native, poll, thread", check_fetch_add},
      key("poll", kTimes, parse_time, &Network::poll),
      {"writes", "atomic", set_writes},
      key("idle", kTimes, parse_time, &Network::idle),
  };
  std::set<std::string> costs(Cost::names().begin(), Cost::names().end());
  for (const Network& preset : presets())
    for (const auto& [name, time] : preset.costs) costs.insert(name);
  for (const std::string& name : costs) keys.push_back(cost_key(name));
  return keys;
}

// REQUIRES: main() has begun, and so all costs are defined.
const std::vector<Key>& keys() {
  static const auto* const kKeys = new std::vector<Key>(all_keys());
  return *kKeys;
}

void change(Network& net, absl::string_view setting) {
  const std::pair<absl::string_view, absl::string_view> pair =
      absl::StrSplit(setting, absl::MaxSplits('=', 1));
  for (const Key& key : keys()) {
    if (pair.first != key.name) continue;
    if (!key.set(net, pair.second))
      refuse(absl::StrCat(setting, " is not ", key.allowed));
    return;
  }
  refuse(absl::StrCat(pair.first, " is not one of ", network_keys()));
}

}  // namespace

Time Network::shortest_way(int ranks) const {
  if (ranks == 1) return 0;
  const bool some_share_a_node = node_size > 1;
  const Time without_hops = latency_without_hops();
  // The first two nodes are neighbours.
  const int nodes = std::min(node_of(ranks - 1) + 1, 2);
  const auto nearest =
      static_cast<Time>(Hops(topology, nodes).between(0, nodes - 1));
  return overhead +
         std::min({some_share_a_node ? within_node.latency : kNever,
                   some_share_a_node && !node_atomics ? without_hops : kNever,
                   nodes > 1 ? without_hops + nearest * hop : kNever});
}

Time Network::latency_without_hops() const {
  const int64_t nodes = std::min<int64_t>(measured_nodes, topology.room());
  const Time hops = times(Hops(topology, static_cast<int>(nodes)).mean(), hop);
  return std::max(between_nodes.latency, hops + 1) - hops;
}

Network parse_network(absl::string_view text) {
  const std::vector<absl::string_view> parts = absl::StrSplit(text, ',');
  std::optional<FetchAdd> fetch_add;
  for (absl::string_view part : parts)
    if (absl::ConsumePrefix(&part, "fetch_add="))
      fetch_add = parse_fetch_add(part);
  std::vector<Network> machines = presets(fetch_add);
  const absl::string_view name = parts[0] == "custom" ? "ideal" : parts[0];
  const auto machine = std::ranges::find(machines, name, &Network::name);
  if (machine == machines.end()) {
    std::string names;
    for (const Network& each : machines) names += each.name + ", ";
    refuse(absl::StrCat(name, " is not one of ", names, "custom"));
  }
  Network& net = *machine;
  for (size_t i = 1; i < parts.size(); ++i) change(net, parts[i]);
  if (net.node_serves_atomics && net.fetch_add == FetchAdd::kPoll)
    refuse("atomic_server=node with fetch_add=poll, where each rank serves");
  if (parts.size() > 1 || parts[0] == "custom") net.name = std::string(text);
  // Polling takes time, or a loop that polls would never end.
  net.idle = std::max(net.idle, kNanosecond);
  net.between_nodes.latency = std::max<Time>(net.between_nodes.latency, 1);
  net.within_node.latency = std::max<Time>(net.within_node.latency, 1);
  return net;
}

std::string network_keys() {
  const auto name = [](std::string* out, const Key& key) {
    absl::StrAppend(out, key.name);
  };
  return absl::StrJoin(keys(), ", ", name);
}

}  // namespace magpie::rma::sim
