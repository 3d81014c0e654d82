// The command line: catches once what anything throws, and turns it into one line and an exit code
// (docs/exit-codes.md).
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <vector>

#include "base/memory.hpp"
#include "cli/commands.hpp"
#include "fusecheck/error.hpp"

namespace {

int code_of(fusecheck::ErrorKind kind) {
  if (kind == fusecheck::ErrorKind::usage) return 2;
  return kind == fusecheck::ErrorKind::no_verdict ? 3 : 70;
}

int internal(const std::string& what, const std::vector<std::string>& words) {
  std::cerr << "fusecheck: internal error: " << what << "\n"
            << "fusecheck: this is a bug, not a verdict; please report it with 'fusecheck version' and the command:";
  for (const std::string& word : words) std::cerr << " " << word;
  std::cerr << "\n";
  return 70;
}

}  // namespace

int main(int count, char** arguments) {
  fusecheck::base::keep_freed_memory();
  const std::vector<std::string> words(arguments + (count > 0 ? 1 : 0), arguments + count);
  try {
    return fusecheck::cli::run(words, std::cout, std::cerr);
  } catch (const fusecheck::Error& error) {
    if (error.kind() == fusecheck::ErrorKind::internal) return internal(error.what(), words);
    std::cerr << "fusecheck: " << error.what() << "\n";
    return code_of(error.kind());
  } catch (const std::bad_alloc&) {
    return internal("out of memory", words);
  } catch (const std::exception& error) {
    return internal(error.what(), words);
  } catch (...) {
    return internal("something unknown was thrown", words);
  }
}
