#include "numeric/functions_dispatch.hpp"
#include "numeric/functions_loops.hpp"

namespace fusecheck::numeric {

const FunctionLoop* function_loops_avx512() {
  using Doubles = double __attribute__((vector_size(64)));
  return function_loops<Doubles>;
}

}  // namespace fusecheck::numeric
