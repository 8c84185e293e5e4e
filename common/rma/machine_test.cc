#include "common/rma/machine.h"

#include <stdlib.h>

#include <climits>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "gtest/gtest.h"

namespace magpie::rma::internal {
namespace {

constexpr uint64_t kMiB = 1 << 20;

// A machine's files, as far as control groups and memory are concerned.
class Machine : public testing::Test {
 protected:
  Machine() {
    std::string name = testing::TempDir() + "/machineXXXXXX";
    root_ = mkdtemp(name.data());
  }
  ~Machine() override { std::filesystem::remove_all(root_); }

  void write(const std::string& path, const std::string& text) {
    const std::filesystem::path file = root_ + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text << "\n";
  }
  void is_in(const std::string& groups) { write("/proc/self/cgroup", groups); }
  void limits(const std::string& group, uint64_t limit, uint64_t used,
              uint64_t unused_files) {
    const std::string folder = "/sys/fs/cgroup" + group;
    write(folder + "/memory.max", std::to_string(limit));
    write(folder + "/memory.current", std::to_string(used));
    write(folder + "/memory.stat",
          "anon 1\nfile 2\ninactive_file " + std::to_string(unused_files));
  }

  std::string root_;
};

TEST_F(Machine, WithoutControlGroups) {
  EXPECT_EQ(available_memory(root_), UINT64_MAX);
  EXPECT_EQ(core_quota(root_), INT_MAX);
  write("/proc/meminfo", "MemTotal: 9 kB\nMemAvailable:  1024 kB\nX: 5 kB");
  is_in("0::/user");
  write("/sys/fs/cgroup/user/memory.max", "max");
  write("/sys/fs/cgroup/user/memory.current", "1");
  write("/sys/fs/cgroup/user/cpu.max", "max 100000");
  EXPECT_EQ(available_memory(root_), kMiB);
  EXPECT_EQ(core_quota(root_), INT_MAX);
}

TEST_F(Machine, PagesOfUnusedFilesAreFree) {
  is_in("0::/");
  limits("", 512 * kMiB, 500 * kMiB, 400 * kMiB);
  EXPECT_EQ(available_memory(root_), 412 * kMiB);
  limits("", 512 * kMiB, 600 * kMiB, 0);
  EXPECT_EQ(available_memory(root_), 0u);
}

TEST_F(Machine, TheNarrowestOfAllLevelsCounts) {
  is_in("0::/batch/job_7/step_0");
  limits("/batch/job_7/step_0", 800 * kMiB, 100 * kMiB, 0);
  limits("/batch/job_7", 500 * kMiB, 200 * kMiB, 0);
  limits("/batch", 9000 * kMiB, 0, 0);
  write("/sys/fs/cgroup/batch/job_7/cpu.max", "350000 100000");
  write("/sys/fs/cgroup/batch/job_7/step_0/cpu.max", "800000 100000");
  EXPECT_EQ(available_memory(root_), 300 * kMiB);
  EXPECT_EQ(core_quota(root_), 4);
  write("/sys/fs/cgroup/batch/cpu.max", "20000 100000");
  EXPECT_EQ(core_quota(root_), 1);
}

// A container that sees its own group as the root of the tree.
TEST_F(Machine, OfAContainer) {
  limits("", 300 * kMiB, 0, 0);
  is_in("0::/docker/abc");
  EXPECT_EQ(available_memory(root_), 300 * kMiB);
  is_in("0::/../other");
  EXPECT_EQ(available_memory(root_), 300 * kMiB);
}

TEST_F(Machine, OfTheFirstVersion) {
  is_in("4:memory:/slurm/job\n3:cpu,cpuacct:/slurm\n1:name=systemd:/x");
  const std::string memory = "/sys/fs/cgroup/memory/slurm/job/";
  write(memory + "memory.limit_in_bytes", std::to_string(100 * kMiB));
  write(memory + "memory.usage_in_bytes", std::to_string(90 * kMiB));
  write(memory + "memory.stat",
        "inactive_file 1\ntotal_inactive_file " + std::to_string(60 * kMiB));
  write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712");
  write("/sys/fs/cgroup/memory/memory.usage_in_bytes", "1");
  write("/sys/fs/cgroup/cpu/slurm/cpu.cfs_quota_us", "250000");
  write("/sys/fs/cgroup/cpu/slurm/cpu.cfs_period_us", "100000");
  write("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1");
  write("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000");
  EXPECT_EQ(available_memory(root_), 70 * kMiB);
  EXPECT_EQ(core_quota(root_), 3);
}

// This machine, whatever it is.
TEST(ThisMachine, IsAsked) {
  EXPECT_GT(available_memory(), 0u);
  EXPECT_GE(core_quota(), 1);
}

}  // namespace
}  // namespace magpie::rma::internal
