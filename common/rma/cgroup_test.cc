#include "common/rma/cgroup.h"

#include <stdlib.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "gtest/gtest.h"

namespace magpie::rma::internal {
namespace {

constexpr uint64_t kMiB = 1 << 20;

// A machine's files, as far as control groups are concerned.
class ControlGroupsTest : public testing::Test {
 protected:
  ControlGroupsTest() {
    std::string name = testing::TempDir() + "/cgroupXXXXXX";
    root_ = mkdtemp(name.data());
  }
  ~ControlGroupsTest() override { std::filesystem::remove_all(root_); }

  void write(const std::string& path, const std::string& text) {
    const std::filesystem::path file = root_ + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  void is_in(const std::string& groups) { write("/proc/self/cgroup", groups); }
  // Mounts version 2, at the usual place.
  void mounts(const std::string& group = "/") {
    write("/proc/self/mountinfo",
          "22 1 0:1 / / rw - ext4 /dev/vda rw\n"
          "30 22 0:26 " +
              group +
              " /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n");
  }
  void limits(const std::string& group, uint64_t limit, uint64_t used,
              uint64_t unused_files) {
    const std::string folder = "/sys/fs/cgroup" + group;
    write(folder + "/memory.max", std::to_string(limit) + "\n");
    write(folder + "/memory.current", std::to_string(used) + "\n");
    write(folder + "/memory.stat", "anon 1\nfile 2\ninactive_file " +
                                       std::to_string(unused_files) + "\n");
  }
  ControlGroups groups() const { return ControlGroups(root_); }

  std::string root_;
};

TEST_F(ControlGroupsTest, WithoutAnyThereIsNoLimit) {
  EXPECT_EQ(groups().available_memory(), UINT64_MAX);
  EXPECT_EQ(groups().cores(), 0);
  mounts();
  is_in("0::/user\n");
  write("/sys/fs/cgroup/user/memory.max", "max\n");
  write("/sys/fs/cgroup/user/memory.current", "1\n");
  write("/sys/fs/cgroup/user/cpu.max", "max 100000\n");
  EXPECT_EQ(groups().available_memory(), UINT64_MAX);
  EXPECT_EQ(groups().cores(), 0);
}

TEST_F(ControlGroupsTest, PagesOfUnusedFilesAreFree) {
  mounts();
  is_in("0::/\n");
  limits("", 512 * kMiB, 500 * kMiB, 400 * kMiB);
  EXPECT_EQ(groups().available_memory(), 412 * kMiB);
}

TEST_F(ControlGroupsTest, MoreIsUsedThanAllowed) {
  mounts();
  is_in("0::/\n");
  limits("", 512 * kMiB, 600 * kMiB, 0);
  EXPECT_EQ(groups().available_memory(), 0u);
}

TEST_F(ControlGroupsTest, TheNarrowestOfAllLevelsCounts) {
  mounts();
  is_in("0::/batch/job_7/step_0\n");
  limits("/batch/job_7/step_0", 800 * kMiB, 100 * kMiB, 0);
  limits("/batch/job_7", 500 * kMiB, 200 * kMiB, 0);
  limits("/batch", 9000 * kMiB, 0, 0);
  write("/sys/fs/cgroup/batch/job_7/cpu.max", "350000 100000\n");
  write("/sys/fs/cgroup/batch/job_7/step_0/cpu.max", "800000 100000\n");
  EXPECT_EQ(groups().available_memory(), 300 * kMiB);
  EXPECT_EQ(groups().cores(), 4);
}

TEST_F(ControlGroupsTest, LessThanOneCoreIsOne) {
  mounts();
  is_in("0::/\n");
  write("/sys/fs/cgroup/cpu.max", "20000 100000\n");
  EXPECT_EQ(groups().cores(), 1);
}

// A container that sees only its part of the tree, under the tree's names.
TEST_F(ControlGroupsTest, OfAContainer) {
  mounts("/docker/abc");
  is_in("0::/docker/abc/inner\n");
  limits("", 300 * kMiB, 0, 0);
  limits("/inner", 200 * kMiB, 50 * kMiB, 0);
  EXPECT_EQ(groups().available_memory(), 150 * kMiB);
  is_in("0::/../other\n");
  EXPECT_EQ(groups().available_memory(), 300 * kMiB);
}

TEST_F(ControlGroupsTest, OfTheFirstVersion) {
  write("/proc/self/mountinfo",
        "31 22 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
        "32 22 0:28 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n");
  is_in("4:memory:/slurm/job\n3:cpu,cpuacct:/slurm\n1:name=systemd:/x\n");
  const std::string memory = "/sys/fs/cgroup/memory/slurm/job/";
  write(memory + "memory.limit_in_bytes", std::to_string(100 * kMiB));
  write(memory + "memory.usage_in_bytes", std::to_string(90 * kMiB));
  write(memory + "memory.stat",
        "inactive_file 1\ntotal_inactive_file " + std::to_string(60 * kMiB));
  write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  write("/sys/fs/cgroup/memory/memory.usage_in_bytes", "1\n");
  write("/sys/fs/cgroup/cpu/slurm/cpu.cfs_quota_us", "250000\n");
  write("/sys/fs/cgroup/cpu/slurm/cpu.cfs_period_us", "100000\n");
  write("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  write("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(groups().available_memory(), 70 * kMiB);
  EXPECT_EQ(groups().cores(), 3);
}

// This machine's groups, whatever they are.
TEST(ControlGroupsHere, AreRead) {
  EXPECT_GT(ControlGroups().available_memory(), 0u);
  EXPECT_GE(ControlGroups().cores(), 0);
}

}  // namespace
}  // namespace magpie::rma::internal
