// family_code.hpp - calls of the family's C++: whatever goes wrong in them is neither a variant's fault nor the
// runner's.
#pragma once
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include "tilewright/device.hpp"
#include "tilewright/family.hpp"

namespace tilewright {

/// The family's oracle refuses a problem that its family.ts asks for: no variant is to blame, nor is the
/// runner.
struct ProblemRefused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The family's C++ did what it must not.
struct FamilyMistake : std::runtime_error {
  FamilyMistake(std::string function, const std::string& message, std::string parameter = "")
      : std::runtime_error(message), function(std::move(function)), parameter(std::move(parameter)) {}
  std::string function;   // of the family: "reference"
  std::string parameter;  // that it reads and the variant lacks; empty: something else
  std::string variant;    // id, where the job alone does not say it
};

/// Calls a function of the family's. `Unsupported`, `ProblemRefused`, `LaunchTooLarge` and a lack of memory pass; any other exception becomes a
/// FamilyMistake.
template <class Call>
auto family_code(const char* function, Call&& call) -> decltype(call()) {
  try {
    return call();
  } catch (const Unsupported&) {
    throw;
  } catch (const ProblemRefused&) {
    throw;
  } catch (const LaunchTooLarge&) {
    throw;
  } catch (const WrongParameter& wrong) {
    throw FamilyMistake(function, wrong.what(), wrong.name);
  } catch (const std::bad_array_new_length& wrong) {
    throw FamilyMistake(function, wrong.what());
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    throw FamilyMistake(function, error.what());
  } catch (...) {
    throw FamilyMistake(function, "something that is no std::exception");
  }
}

}  // namespace tilewright
