// Frames that leave their stack and come back, here or in another process.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "common/context/context.h"
#include "common/context/tests/registers.h"
#include "common/context/tests/stack.h"

namespace magpie::context {
namespace {

// A thread's frames, copied out: the bytes of [ctx, top).
struct Evacuated {
  Context* ctx = nullptr;
  std::vector<char> bytes = {};
};

Evacuated evacuate(Context* ctx, const char* top) {
  const char* base = reinterpret_cast<const char*>(ctx);
  return {ctx, std::vector<char>(base, top)};
}

// Runs on a stack that the frames do not cover.
[[noreturn]] void bring_back(const Evacuated& e) {
  std::memcpy(static_cast<void*>(e.ctx), e.bytes.data(), e.bytes.size());
  resume(e.ctx);
}

// A computation with state in frames and with pointers between them, which is
// interrupted by leave() several frames deep.
long climb(int depth, const long* above, void (*leave)(void*), void* arg) {
  long here[4] = {depth, *above, 0, 0};
  const long* self = &here[0];  // an address inside the stack
  if (depth == 0) {
    leave(arg);
  } else {
    here[2] = climb(depth - 1, self, leave, arg);
  }
  return self[0] + self[1] + here[2];
}

long climb_all(void (*leave)(void*), void* arg) {
  const long above = 1000;
  return climb(10, &above, leave, arg);
}

// `above`, the depths, and the depths seen from below.
constexpr long kSum = 1000 + 55 + 55;

TEST(MigrationTest, SumIsRightWithoutLeaving) {
  EXPECT_EQ(climb_all([](void*) {}, nullptr), kSum);
}

// -------------------------------------------- away and back within one process

struct Visit {
  Stack stack;
  Context* scheduler = nullptr;
  Evacuated evacuated;
  Planted planted = planted_values();
  long sum = 0;
};

// Called by save_and_call: copies the thread out and leaves it.
void leave_with_copy(Context* ctx, Visit* visit) {
  visit->evacuated = evacuate(ctx, visit->stack.top());
  resume(visit->scheduler);
}

// Comes back after the whole stack was overwritten in between.
void expect_back_after_overwriting(Visit* visit) {
  EXPECT_EQ(visit->sum, 0);
  std::memset(visit->stack.bottom(), 0xAB, Stack::kBytes);
  auto go_on = +[](Context* ctx, Visit* visit) {
    visit->scheduler = ctx;
    bring_back(visit->evacuated);
  };
  save_and_call(go_on, visit);
  EXPECT_EQ(visit->sum, kSum);
}

TEST(MigrationTest, FramesAwayOverwrittenAndBack) {
  Visit visit;
  auto body = +[](Visit* visit) {
    auto leave = [](void* visit) {
      save_and_call(&leave_with_copy, static_cast<Visit*>(visit));
    };
    visit->sum = climb_all(leave, visit);
    resume(visit->scheduler);
  };
  start(&visit.stack, body, &visit.scheduler, &visit);
  expect_back_after_overwriting(&visit);
}

TEST(MigrationTest, RegistersTravelInTheFrame) {
  Visit visit;
  auto body = +[](Visit* visit) {
    magpie_test_plant(&visit->planted, code(&magpie_context_save_and_call),
                      code(&leave_with_copy), visit, nullptr);
    visit->sum = kSum;
    resume(visit->scheduler);
  };
  start(&visit.stack, body, &visit.scheduler, &visit);
  expect_back_after_overwriting(&visit);
  EXPECT_EQ(visit.planted.out, visit.planted.in);
  EXPECT_EQ(visit.planted.sp_after, visit.planted.sp_before);
}

// -------------------------------------------------------- into another process

// A private mapping that two processes have at the same address.
class Region {
 public:
  static constexpr std::size_t kBytes = 256 * 1024;
  Region()
      : bottom_(mmap(nullptr, kBytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    EXPECT_NE(bottom_, MAP_FAILED);
  }
  ~Region() { munmap(bottom_, kBytes); }
  char* top() const { return static_cast<char*>(bottom_) + kBytes; }

 private:
  void* bottom_;
};

class Pipe {
 public:
  Pipe() { EXPECT_EQ(pipe2(fds_, O_CLOEXEC), 0); }
  ~Pipe() {
    close(fds_[0]);
    close_writer();
  }
  void close_writer() {
    if (fds_[1] >= 0) close(fds_[1]);
    fds_[1] = -1;
  }
  bool write_all(const void* data, std::size_t n) {
    return write(fds_[1], data, n) == static_cast<ssize_t>(n);
  }
  bool read_all(void* data, std::size_t n) {
    char* p = static_cast<char*>(data);
    while (n > 0) {
      const ssize_t got = read(fds_[0], p, n);
      if (got <= 0) return false;
      p += got;
      n -= static_cast<std::size_t>(got);
    }
    return true;
  }

 private:
  int fds_[2];
};

// Lives at the same address in both processes, with different contents.
struct Job {
  Region region;
  // From the victim to the thief.
  Pipe frames;
  // From the thief to the test.
  Pipe results;
  pid_t victim = getpid();
  bool sent = false;
  long sum_in_victim = 0;
};

struct Result {
  pid_t pid;
  long sum;
  bool caught;
};

bool throws_and_catches() {
  try {
    throw std::runtime_error("far from home");
  } catch (const std::runtime_error& e) {
    return std::strcmp(e.what(), "far from home") == 0;
  }
}

void send_frames(Context* ctx, void* arg) {
  Job* job = static_cast<Job*>(arg);
  const Evacuated e = evacuate(ctx, job->region.top());
  const std::size_t size = e.bytes.size();
  job->sent = job->frames.write_all(&e.ctx, sizeof e.ctx) &&
              job->frames.write_all(&size, sizeof size) &&
              job->frames.write_all(e.bytes.data(), size);
}

// The thread. Both processes arrive after save_and_call: the victim by an
// ordinary return, the thief by resume.
void thread(void* arg) {
  Job* job = static_cast<Job*>(arg);
  const long sum =
      climb_all([](void* arg) { save_and_call(&send_frames, arg); }, arg);
  if (getpid() == job->victim) {
    job->sum_in_victim = sum;
    return;
  }
  const Result result = {getpid(), sum, throws_and_catches()};
  _exit(job->results.write_all(&result, sizeof result) ? 0 : 1);
}

// The thief: waits for frames on its ordinary stack and goes on with them.
[[noreturn]] void steal(Job* job) {
  job->frames.close_writer();
  Evacuated e;
  std::size_t size = 0;
  if (!job->frames.read_all(&e.ctx, sizeof e.ctx)) _exit(2);
  if (!job->frames.read_all(&size, sizeof size)) _exit(2);
  e.bytes.resize(size);
  if (!job->frames.read_all(e.bytes.data(), size)) _exit(2);
  bring_back(e);
}

TEST(MigrationTest, GoesOnInAnotherProcess) {
  Job job;
  // The thief exists before the thread does: it has nothing of it but the
  // addresses.
  const pid_t thief = fork();
  ASSERT_GE(thief, 0);
  if (thief == 0) steal(&job);
  call_on_stack(job.region.top(), &thread, &job);
  EXPECT_TRUE(job.sent);
  EXPECT_EQ(job.sum_in_victim, kSum);
  job.results.close_writer();
  Result result = {};
  EXPECT_TRUE(job.results.read_all(&result, sizeof result));
  EXPECT_EQ(result.pid, thief);
  EXPECT_EQ(result.sum, kSum);
  EXPECT_TRUE(result.caught);
  int status = -1;
  ASSERT_EQ(waitpid(thief, &status, 0), thief);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace magpie::context
