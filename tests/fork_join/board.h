// A notice board that all tasks of a run see, wherever they are: memory that
// the runtime does not know of. By it a scenario counts what tasks did, and
// lets one task wait until another has come to a certain point, so that a race
// has the outcome that the scenario is about.

#ifndef MAGPIE_TESTS_FORK_JOIN_BOARD_H_
#define MAGPIE_TESTS_FORK_JOIN_BOARD_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

namespace magpie::conformance {

// Starts as zeros.
struct Board {
  std::array<std::atomic<uint64_t>, 4096> word;
};

// Makes the board, or joins the ranks that share `file`. The ranks of one
// process tree need no file. To be called before the run.
void open_board(const std::string& file);

// The board, at the same address on every rank.
Board& board();

// Waits until a word of the board has reached `value`.
void await(int word, uint64_t value);

}  // namespace magpie::conformance

#endif  // MAGPIE_TESTS_FORK_JOIN_BOARD_H_
