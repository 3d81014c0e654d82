/* The kernel as a plug-in: finds its tensors by name and calls it. */
#include <fusecheck/fusecheck_plugin.h>
#include <stddef.h>
#include <string.h>

#include "fused_conv_bn_relu_add.h"

static const char* why = NULL;

static const char* info(void) { return "fused_conv_bn_relu_add 1.0"; }
static const char* last_error(void) { return why; }

static const fusecheck_tensor* find(const fusecheck_tensor* list, uint64_t count, const char* name) {
  for (uint64_t i = 0; i < count; ++i) {
    if (strcmp(list[i].name, name) == 0) return &list[i];
  }
  return NULL;
}

static half* input(const fusecheck_case* one, const char* name) {
  const fusecheck_tensor* tensor = find(one->inputs, one->input_count, name);
  return tensor == NULL ? NULL : tensor->data;
}

static half* output(const fusecheck_case* one, const char* name) {
  const fusecheck_tensor* tensor = find(one->outputs, one->output_count, name);
  return tensor == NULL ? NULL : tensor->data;
}

static double attribute(const fusecheck_case* one, const char* name) {
  for (uint64_t i = 0; i < one->attribute_count; ++i) {
    if (strcmp(one->attributes[i].name, name) == 0) return one->attributes[i].values[0];
  }
  return 0;
}

static int supports(const fusecheck_case* one) {
  const int64_t shape[] = {1, CHANNELS, HEIGHT, WIDTH};
  const fusecheck_tensor* x = find(one->inputs, one->input_count, "x");
  const fusecheck_tensor* gamma = find(one->inputs, one->input_count, "gamma");
  why = "made for ConvBnReluAdd in f16, parameters too, 1x4x6x5, batch norm in inference";
  if (strcmp(one->op, "ConvBnReluAdd") != 0 || x == NULL || gamma == NULL) return 0;
  if (x->dtype != FUSECHECK_F16 || gamma->dtype != FUSECHECK_F16 || attribute(one, "bn") != 0) return 0;
  return x->rank == 4 && memcmp(x->shape, shape, sizeof shape) == 0;
}

static int run(const fusecheck_case* one) {
  const float epsilon = (float)attribute(one, "eps");
  half *x = input(one, "x"), *w = input(one, "w"), *gamma = input(one, "gamma"), *beta = input(one, "beta");
  half *mean = input(one, "mean"), *var = input(one, "var");
  if (output(one, "y") != NULL) {
    fused_conv_bn_relu_add(output(one, "y"), x, w, gamma, beta, mean, var, input(one, "residual"), epsilon);
  }
  if (output(one, "dx") != NULL) {
    fused_conv_bn_relu_add_grad(output(one, "dx"), output(one, "dw"), output(one, "dgamma"), output(one, "dbeta"),
                                output(one, "dresidual"), input(one, "dy"), x, w, gamma, beta, mean, var, epsilon);
  }
  return 0;
}

const fusecheck_plugin* fusecheck_plugin_entry(void) {
  static const fusecheck_plugin plugin = {
      FUSECHECK_PLUGIN_VERSION, sizeof(fusecheck_plugin), info, supports, run, last_error};
  return &plugin;
}
