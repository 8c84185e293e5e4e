#include "tests/fork_join/job.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "absl/strings/str_split.h"

namespace magpie::conformance {
namespace {

void add_numbers(const nlohmann::json& object, const std::string& prefix,
                 std::map<std::string, uint64_t>* numbers) {
  for (const auto& [key, value] : object.items()) {
    if (value.is_object()) add_numbers(value, prefix + key + ".", numbers);
    if (value.is_number()) (*numbers)[prefix + key] = value.get<uint64_t>();
  }
}

}  // namespace

Job::Job(const std::vector<std::string>& command) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) std::abort();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  std::vector<char*> arguments;
  for (const std::string& word : command)
    arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  if (posix_spawn(&pid_, arguments[0], &actions, nullptr, arguments.data(),
                  environ) != 0) {
    std::perror(arguments[0]);
    std::abort();
  }
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  pipe_ = fdopen(ends[0], "r");
}

Job::~Job() { std::fclose(pipe_); }

std::string Job::read_line() {
  std::string line;
  for (int c; (c = std::fgetc(pipe_)) != EOF && c != '\n';)
    line.push_back(static_cast<char>(c));
  output_ += line + "\n";
  return line;
}

int Job::wait() {
  char buffer[4096];
  while (const size_t n = std::fread(buffer, 1, sizeof(buffer), pipe_))
    output_.append(buffer, n);
  int status;
  waitpid(pid_, &status, 0);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

std::vector<std::string> Result::lines() const {
  return absl::StrSplit(output, '\n', absl::SkipEmpty());
}

Result run_job(const std::vector<std::string>& command) {
  Job job(command);
  Result result;
  result.status = job.wait();
  result.output = job.output();
  for (const std::string& line : result.lines()) {
    if (line.front() == '{')
      add_numbers(nlohmann::json::parse(line, nullptr, false), "",
                  &result.report);
  }
  return result;
}

}  // namespace magpie::conformance
