/* y = 2x in f32: a kernel for `scale` with scale = 2. */
#include <fusecheck/fusecheck_plugin.h>

static const char* info(void) { return "doubling 1"; }

static int supports(const fusecheck_case* one) {
  return one->input_count == 1 && one->output_count == 1 && one->inputs[0].dtype == FUSECHECK_F32;
}

static int run(const fusecheck_case* one) {
  const float* x = one->inputs[0].data;
  float* y = one->outputs[0].data;
  for (uint64_t i = 0; i < one->outputs[0].bytes / sizeof *y; ++i) y[i] = 2 * x[i];
  return 0;
}

static const char* last_error(void) { return 0; }

const fusecheck_plugin* fusecheck_plugin_entry(void) {
  static const fusecheck_plugin table = {FUSECHECK_PLUGIN_VERSION, sizeof table, info, supports, run, last_error};
  return &table;
}
