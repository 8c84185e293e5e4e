// Running a program as a user does, for tests of how runs go and how they end.

#ifndef MAGPIE_TESTS_FORK_JOIN_JOB_H_
#define MAGPIE_TESTS_FORK_JOIN_JOB_H_

#include <sys/types.h>

#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

namespace magpie::conformance {

// A running program, with all the processes that it starts.
class Job {
 public:
  // Its standard output and error go to one pipe, which is read here.
  explicit Job(const std::vector<std::string>& command);
  ~Job();
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  pid_t pid() const { return pid_; }

  // The next line of output, without its end. Empty at the end of all output.
  std::string read_line();

  // Waits for the program and for *every process that holds the pipe*: after
  // this, nothing of it is left. Returns the exit status, or 128 + signal.
  int wait();

  // All output so far.
  const std::string& output() const { return output_; }

 private:
  pid_t pid_;
  FILE* pipe_;
  std::string output_;
};

struct Result {
  int status = 0;
  std::string output;
  // The numbers of the report, the last line that is a JSON object; those of an
  // object in it as "rma.get".
  std::map<std::string, uint64_t> report;
  std::vector<std::string> lines() const;
};

// Runs `command` to its end.
Result run_job(const std::vector<std::string>& command);

}  // namespace magpie::conformance

#endif  // MAGPIE_TESTS_FORK_JOIN_JOB_H_
