// Checks which variables are the program's, and which of them were written.

#include "common/run/globals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdio>
#include <iostream>
#include <set>
#include <string>
#include <vector>

#include "common/run/program_variables.h"

long at_global_scope = 1;
static long of_this_file = 2;
[[gnu::visibility("hidden")]] long hidden = 3;
extern "C" long with_a_name_as_in_c;
long with_a_name_as_in_c = 4;

namespace {
long in_no_named_namespace = 5;
}

namespace magpie::rma::of_a_backend {
long counter = 6;
}

namespace magpie::internal {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// Makes the compiler believe that the object is read and written.
template <typename T>
void use(T& object) {
  asm volatile("" ::"r"(&object) : "memory");
}

}  // namespace
}  // namespace magpie::internal

// A program's variables, in the midst of Magpie's.
namespace magpie::program {

struct Counter {
  static long of_all;
  static inline std::atomic<long> atomic = 0;
};
long Counter::of_all = 7;

double array[1000];
const long constant = 8;
thread_local long of_a_thread = 9;

long count_here() {
  static long counter = 10;
  internal::use(counter);
  return ++counter;
}
const std::vector<long>& made_when_needed() {
  static const std::vector<long> table(10, 1);
  return table;
}
template <typename T>
T count_of_type() {
  static T counter = 11;
  internal::use(counter);
  return ++counter;
}

}  // namespace magpie::program

namespace magpie::internal {
namespace {

void use_all() {
  use(at_global_scope);
  use(of_this_file);
  use(hidden);
  use(with_a_name_as_in_c);
  use(in_no_named_namespace);
  use(rma::of_a_backend::counter);
  use(program::Counter::of_all);
  use(program::Counter::atomic);
  use(program::array);
  asm volatile("" ::"m"(program::constant));
  use(program::of_a_thread);
  std::cout << std::flush;
  std::fflush(stdout);
}

std::set<std::string> names_of_the_programs() {
  const ProgramVariables variables;
  std::set<std::string> names;
  for (const Variable& variable : variables.all()) {
    if (is_the_programs(variable)) names.insert(source_name_of(variable));
  }
  return names;
}

TEST(ProgramVariables, AreTheProgramsOwn) {
  use_all();
  const std::set<std::string> names = names_of_the_programs();
  for (const char* name :
       {"at_global_scope", "of_this_file", "hidden", "with_a_name_as_in_c",
        "(anonymous namespace)::in_no_named_namespace",
        "magpie::program::Counter::of_all", "magpie::program::Counter::atomic",
        "magpie::program::array", "magpie::program::count_here()::counter",
        "magpie::program::made_when_needed()::table"})
    EXPECT_THAT(names, Contains(name));
}

TEST(ProgramVariables, OfTemplatesToo) {
  program::count_of_type<int>();
  EXPECT_THAT(names_of_the_programs(),
              Contains("magpie::program::count_of_type<int>()::counter"));
}

TEST(ProgramVariables, AreNotWhatOthersHave) {
  for (const std::string& name : names_of_the_programs()) {
    for (const char* others :
         {"std::", "CLI::", "absl::", "testing::", "magpie::rma::",
          "magpie::internal::", "guard variable", "vtable", "__"})
      EXPECT_NE(name.rfind(others, 0), 0u) << name;
    for (const char* others :
         {"constant", "of_a_thread", "stdout", "emergency_pool", "environ",
          "object_mutex", "locale_mutex", "completed", "c_locale"})
      EXPECT_THAT(name, Not(HasSubstr(others)));
  }
}

TEST(ProgramVariables, LieWhereTheSymbolsSay) {
  const ProgramVariables variables;
  ASSERT_TRUE(variables.has_symbols());
  for (const Variable& variable : variables.all()) {
    if (source_name_of(variable) != "magpie::program::array") continue;
    EXPECT_EQ(static_cast<const void*>(variable.bytes.data()),
              static_cast<const void*>(program::array));
    EXPECT_EQ(variable.bytes.size(), sizeof(program::array));
    return;
  }
  FAIL() << "not found";
}

TEST(VariablesSnapshot, NothingWasWritten) {
  program::count_here();
  const VariablesSnapshot before;
  std::vector<long> elsewhere(10);
  for (long& element : elsewhere) use(++element);
  ++program::of_a_thread;
  const VariablesSnapshot::Written written = before.written();
  EXPECT_THAT(written.variables, IsEmpty());
  EXPECT_THAT(written.initialized, IsEmpty());
}

TEST(VariablesSnapshot, TellsTheNameAndTheSize) {
  const VariablesSnapshot before;
  use(++at_global_scope);
  EXPECT_THAT(before.written().variables,
              ElementsAre("at_global_scope (8 bytes)"));
}

TEST(VariablesSnapshot, OneElementIsEnough) {
  const VariablesSnapshot before;
  use(program::array[999] = 1);
  EXPECT_THAT(before.written().variables,
              ElementsAre("magpie::program::array (8000 bytes)"));
}

TEST(VariablesSnapshot, AStaticOfAFunctionWithoutAGuard) {
  const VariablesSnapshot before;
  program::count_here();
  EXPECT_THAT(before.written().variables,
              ElementsAre("magpie::program::count_here()::counter (8 bytes)"));
}

TEST(VariablesSnapshot, WhatWasInitializedMeanwhileIsToldApart) {
  const VariablesSnapshot before;
  program::made_when_needed();
  EXPECT_THAT(
      before.written().initialized,
      ElementsAre("magpie::program::made_when_needed()::table (24 bytes)"));
  EXPECT_THAT(before.written().variables, IsEmpty());
  const VariablesSnapshot later;
  program::made_when_needed();
  EXPECT_THAT(later.written().initialized, IsEmpty());
}

TEST(VariablesSnapshot, WhatWasChangedBackIsNotSeen) {
  const VariablesSnapshot before;
  use(++of_this_file);
  use(--of_this_file);
  EXPECT_THAT(before.written().variables, IsEmpty());
}

}  // namespace
}  // namespace magpie::internal
