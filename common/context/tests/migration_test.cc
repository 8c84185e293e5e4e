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

Evacuated Evacuate(Context* ctx, const char* top) {
  const char* base = reinterpret_cast<const char*>(ctx);
  return {ctx, std::vector<char>(base, top)};
}

// Runs on a stack that the frames do not cover.
[[noreturn]] void BringBack(const Evacuated& e) {
  std::memcpy(static_cast<void*>(e.ctx), e.bytes.data(), e.bytes.size());
  resume(e.ctx);
}

// A computation with state in frames and with pointers between them, which is
// interrupted by leave() several frames deep.
long Climb(int depth, const long* above, void (*leave)(void*), void* arg) {
  long here[4] = {depth, *above, 0, 0};
  const long* self = &here[0];  // an address inside the stack
  if (depth == 0) {
    leave(arg);
  } else {
    here[2] = Climb(depth - 1, self, leave, arg);
  }
  return self[0] + self[1] + here[2];
}

long ClimbAll(void (*leave)(void*), void* arg) {
  const long above = 1000;
  return Climb(10, &above, leave, arg);
}

constexpr long kSum = 1000 + 55 + 55;  // above, depths, depths seen from below

TEST(MigrationTest, SumIsRightWithoutLeaving) {
  EXPECT_EQ(ClimbAll([](void*) {}, nullptr), kSum);
}

// ---- Away and back within one process.

struct Visit {
  Stack stack;
  Context* scheduler = nullptr;
  Evacuated evacuated;
  Planted planted = PlantedValues();
  long sum = 0;
};

// Called by save_and_call: copies the thread out and leaves it.
void LeaveWithCopy(Context* ctx, void* arg) {
  Visit* visit = static_cast<Visit*>(arg);
  visit->evacuated = Evacuate(ctx, visit->stack.top());
  resume(visit->scheduler);
}

// Comes back after the whole stack was overwritten in between.
void ExpectBackAfterOverwriting(Visit* visit) {
  EXPECT_EQ(visit->sum, 0);
  std::memset(visit->stack.bottom(), 0xAB, Stack::kBytes);
  save_and_call(
      [](Context* ctx, void* arg) {
        Visit* visit = static_cast<Visit*>(arg);
        visit->scheduler = ctx;
        BringBack(visit->evacuated);
      },
      visit);
  EXPECT_EQ(visit->sum, kSum);
}

TEST(MigrationTest, FramesAwayOverwrittenAndBack) {
  Visit visit;
  Start(
      &visit.stack,
      [](void* arg) {
        Visit* visit = static_cast<Visit*>(arg);
        visit->sum =
            ClimbAll([](void* v) { save_and_call(&LeaveWithCopy, v); }, arg);
        resume(visit->scheduler);
      },
      &visit.scheduler, &visit);
  ExpectBackAfterOverwriting(&visit);
}

TEST(MigrationTest, RegistersTravelInTheFrame) {
  Visit visit;
  Start(
      &visit.stack,
      [](void* arg) {
        Visit* visit = static_cast<Visit*>(arg);
        const auto save = &magpie_context_save_and_call;
        magpie_test_plant(&visit->planted, reinterpret_cast<const void*>(save),
                          reinterpret_cast<const void*>(&LeaveWithCopy), arg,
                          nullptr);
        visit->sum = kSum;
        resume(visit->scheduler);
      },
      &visit.scheduler, &visit);
  ExpectBackAfterOverwriting(&visit);
  EXPECT_EQ(visit.planted.out, visit.planted.in);
  EXPECT_EQ(visit.planted.sp_after, visit.planted.sp_before);
}

// ---- Into another process.

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
    CloseWriter();
  }
  void CloseWriter() {
    if (fds_[1] >= 0) close(fds_[1]);
    fds_[1] = -1;
  }
  bool Write(const void* data, std::size_t n) {
    return write(fds_[1], data, n) == static_cast<ssize_t>(n);
  }
  bool Read(void* data, std::size_t n) {
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
  Pipe frames;   // victim to thief
  Pipe results;  // thief to the test
  pid_t victim = getpid();
  bool sent = false;
  long sum_in_victim = 0;
};

struct Result {
  pid_t pid;
  long sum;
  bool caught;
};

bool ThrowsAndCatches() {
  try {
    throw std::runtime_error("far from home");
  } catch (const std::runtime_error& e) {
    return std::strcmp(e.what(), "far from home") == 0;
  }
}

// The thread. Both processes arrive behind save_and_call: the victim by an
// ordinary return, the thief by resume.
void Thread(void* arg) {
  Job* job = static_cast<Job*>(arg);
  const long sum = ClimbAll(
      [](void* arg) {
        save_and_call(
            [](Context* ctx, void* arg) {
              Job* job = static_cast<Job*>(arg);
              const Evacuated e = Evacuate(ctx, job->region.top());
              const std::size_t size = e.bytes.size();
              job->sent = job->frames.Write(&e.ctx, sizeof e.ctx) &&
                          job->frames.Write(&size, sizeof size) &&
                          job->frames.Write(e.bytes.data(), size);
            },
            arg);
      },
      arg);
  if (getpid() == job->victim) {
    job->sum_in_victim = sum;
    return;
  }
  const Result result = {getpid(), sum, ThrowsAndCatches()};
  _exit(job->results.Write(&result, sizeof result) ? 0 : 1);
}

// The thief: waits for frames on its ordinary stack and goes on with them.
[[noreturn]] void Steal(Job* job) {
  job->frames.CloseWriter();
  Evacuated e;
  std::size_t size = 0;
  if (!job->frames.Read(&e.ctx, sizeof e.ctx)) _exit(2);
  if (!job->frames.Read(&size, sizeof size)) _exit(2);
  e.bytes.resize(size);
  if (!job->frames.Read(e.bytes.data(), size)) _exit(2);
  BringBack(e);
}

TEST(MigrationTest, GoesOnInAnotherProcess) {
  Job job;
  // The thief exists before the thread does: it has nothing of it but the
  // addresses.
  const pid_t thief = fork();
  ASSERT_GE(thief, 0);
  if (thief == 0) Steal(&job);
  call_on_stack(job.region.top(), &Thread, &job);
  EXPECT_TRUE(job.sent);
  EXPECT_EQ(job.sum_in_victim, kSum);
  job.results.CloseWriter();
  Result result = {};
  EXPECT_TRUE(job.results.Read(&result, sizeof result));
  EXPECT_EQ(result.pid, thief);
  EXPECT_EQ(result.sum, kSum);
  EXPECT_TRUE(result.caught);
  int status = -1;
  ASSERT_EQ(waitpid(thief, &status, 0), thief);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace magpie::context
