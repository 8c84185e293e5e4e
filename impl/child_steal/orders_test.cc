// Tests of what each order runs first, on one rank of Full threads whose tasks
// a test has written down.

#include "impl/child_steal/orders.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "common/rma/rma.h"
#include "impl/child_steal/full.h"

namespace magpie::child_steal {
namespace {

// The root waits for a task elsewhere, and has three of its own, of which `a`,
// the youngest, runs until that one is done.
template <typename Order>
class Script {
 public:
  std::string run() {
    const Root root = {this};
    threads_.run(*this, &root);
    EXPECT_EQ(threads_.waiting(), 0u);
    EXPECT_TRUE(own_.empty());
    return log_;
  }

  bool pop(Descriptor* task) {
    if (own_.empty()) return false;
    task->task = {own_.back(), 0};
    own_.pop_back();
    return true;
  }
  void start(const Descriptor& task) {
    threads_.start(Task{this, static_cast<char>(task.task.w[0])});
  }
  bool is_done(const Handle&) const { return is_done_; }
  bool is_over() const { return is_over_; }
  bool try_to_steal(Descriptor*) {
    log_ += " steal";
    return false;
  }
  template <typename Stop, typename Failed = void (*)(), typename... InAHurry>
  bool search(
      Descriptor* stolen, Stop stop, Failed failed = [] {}, InAHurry...) {
    while (!stop()) {
      if (try_to_steal(stolen)) return true;
      failed();
    }
    return false;
  }

 private:
  struct Root {
    Script* script;
    void operator()() const {
      script->own_ = {'c', 'b', 'a'};
      script->threads_.wait(*script, {});
      script->log_ += " root";
      script->is_over_ = true;
    }
  };
  struct Task {
    Script* script;
    char name;
    void operator()() const {
      script->log_ += {' ', name};
      if (name == 'a') script->is_done_ = true;
    }
  };

  Full<Order> threads_{32 << 10};
  std::vector<uint64_t> own_;
  bool is_done_ = false;
  bool is_over_ = false;
  std::string log_;
};

template <typename Order>
std::string log_of() {
  std::string log;
  rma::launch(
      {.heap_bytes = 1 << 12},
      [](void* log) {
        rma::self().ranks_in_process = 1;
        *static_cast<std::string*>(log) = Script<Order>().run();
        return 0;
      },
      &log);
  return log;
}

// A ready join starves while there is anything else.
TEST(Orders, AfterFailedSteals) {
  EXPECT_EQ(log_of<AfterFailedSteals>(), " a b c steal root");
}

TEST(Orders, FrontFirst) { EXPECT_EQ(log_of<FrontFirst>(), " a root b c"); }

// The ordinary stack waits in front of the root, and takes a turn.
TEST(Orders, Rotation) { EXPECT_EQ(log_of<Rotation>(), " a b root c"); }

}  // namespace
}  // namespace magpie::child_steal
