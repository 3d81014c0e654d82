/* relu as a plug-in, right unless the environment's RELU_FAULT names something that it is to do wrong. */
#include <fusecheck/fusecheck_plugin.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char* why = NULL;
static float kept = 0; /* for state_between_cases: the largest element that any case had */
static unsigned calls = 0;

static const char* info(void) { return "relu 1.0"; }
static const char* last_error(void) { return why; }

static int fault(const char* name) {
  const char* wanted = getenv("RELU_FAULT");
  return wanted != NULL && strcmp(wanted, name) == 0;
}

static int supports(const fusecheck_case* one) {
  why = "only relu in f32 is implemented";
  return !fault("unsupported") && strcmp(one->op, "relu") == 0 && one->inputs[0].dtype == FUSECHECK_F32;
}

static int run(const fusecheck_case* one) {
  const fusecheck_tensor *in = &one->inputs[0], *out = &one->outputs[0];
  float* const x = in->data;
  float* const y = out->data;
  const size_t count = out->bytes / sizeof *y;
  ++calls;
  printf("relu of %u elements\n", (unsigned)count); /* a kernel may print what it likes */
  if (fault("crash")) abort();
  if (fault("null_pointer")) *(volatile float*)NULL = 1;
  if (fault("hang")) sleep(600);
  if (fault("exits")) _exit(0);
  if (fault("returns_error")) {
    why = "no tiling for this shape";
    return 5;
  }
  const size_t written = fault("unwritten_tail") ? count - 4 : count;
  for (size_t i = 0; i < written; ++i) {
    if (fault("reads_output")) {
      y[i] += x[i] > 0 ? x[i] : 0;
    } else {
      y[i] = x[i] > 0 ? x[i] : 0;
    }
    if (y[i] > kept) kept = y[i];
  }
  if (fault("writes_after")) y[count] = 1;
  if (fault("writes_before")) y[-2] = 1;
  if (fault("writes_far")) *(volatile float*)(y + 100000) = 1; /* 400,000 bytes */
  if (fault("modifies_input")) x[3] = 0;
  if (fault("differs")) y[2] = (float)calls;
  if (fault("state_between_cases")) y[0] = kept;
  if (fault("wrong")) y[1] = 1000;
  return 0;
}

const fusecheck_plugin* fusecheck_plugin_entry(void) {
  static fusecheck_plugin plugin = {
      FUSECHECK_PLUGIN_VERSION, sizeof(fusecheck_plugin), info, supports, run, last_error};
  if (fault("version")) plugin.version = 99;
  if (fault("size")) plugin.size = 8;
  if (fault("null_function")) plugin.run = NULL;
  return &plugin;
}
