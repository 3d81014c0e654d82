/* The kernel that README.md runs as libkernel.so: ConvBnRelu in f16 with f32 parameters, stride 1, no groups, dilation or
 * bias, batch norm in inference; forward and backward as in tests/plugin/kernels/fused_conv_bn_relu_add.c. */
#include <fusecheck/fusecheck_plugin.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "half.h"

static const char* why = "made for ConvBnRelu in f16 with f32 parameters, stride 1, no groups, dilation, bias or training";
static const char* info(void) { return "conv_bn_relu 1.0"; }
static const char* last_error(void) { return why; }

static const fusecheck_tensor* find(const fusecheck_tensor* list, uint64_t count, const char* name) {
  for (uint64_t i = 0; i < count; ++i) {
    if (strcmp(list[i].name, name) == 0) return &list[i];
  }
  return NULL;
}

static const void* in(const fusecheck_case* one, const char* name) {
  const fusecheck_tensor* tensor = find(one->inputs, one->input_count, name);
  return tensor == NULL ? NULL : tensor->data;
}

static void* out(const fusecheck_case* one, const char* name) {
  const fusecheck_tensor* tensor = find(one->outputs, one->output_count, name);
  return tensor == NULL ? NULL : tensor->data;
}

static double attribute(const fusecheck_case* one, const char* name, int i) {
  for (uint64_t a = 0; a < one->attribute_count; ++a) {
    if (strcmp(one->attributes[a].name, name) == 0) return one->attributes[a].values[i];
  }
  return 0;
}

static int supports(const fusecheck_case* one) {
  const fusecheck_tensor* x = find(one->inputs, one->input_count, "x");
  const fusecheck_tensor* gamma = find(one->inputs, one->input_count, "gamma");
  if (strcmp(one->op, "ConvBnRelu") != 0 || x == NULL || gamma == NULL) return 0;
  if (x->dtype != FUSECHECK_F16 || gamma->dtype != FUSECHECK_F32 || attribute(one, "bn", 0) != 0) return 0;
  if (find(one->inputs, one->input_count, "b") != NULL || attribute(one, "groups", 0) != 1) return 0;
  for (int axis = 0; axis < 2; ++axis) {
    if (attribute(one, "stride", axis) != 1 || attribute(one, "dilation", axis) != 1) return 0;
  }
  return 1;
}

/* Sizes of one case; a plane of x is padded with zeros, so that a tap is an offset. */
typedef struct {
  int64_t n, c, h, w, oc, oh, ow, kh, kw, top, left, ph, pw;
} sizes;

static sizes sizes_of(const fusecheck_case* one) {
  const int64_t* x = find(one->inputs, one->input_count, "x")->shape;
  const int64_t* w = find(one->inputs, one->input_count, "w")->shape;
  sizes s = {x[0], x[1], x[2], x[3], w[0], 0, 0, w[2], w[3], 0, 0, 0, 0};
  s.top = (int64_t)attribute(one, "pad", 0);
  s.left = (int64_t)attribute(one, "pad", 1);
  s.ph = s.h + s.top + (int64_t)attribute(one, "pad", 2);
  s.pw = s.w + s.left + (int64_t)attribute(one, "pad", 3);
  s.oh = s.ph - s.kh + 1;
  s.ow = s.pw - s.kw + 1;
  return s;
}

/* One image as floats, padded: [c][ph][pw]. */
static void pad_image(const sizes* s, const half* x, float* padded) {
  memset(padded, 0, (size_t)(s->c * s->ph * s->pw) * sizeof *padded);
  for (int64_t c = 0; c < s->c; ++c) {
    for (int64_t i = 0; i < s->h; ++i) {
      for (int64_t j = 0; j < s->w; ++j) {
        padded[(c * s->ph + i + s->top) * s->pw + j + s->left] = float_of(x[(c * s->h + i) * s->w + j]);
      }
    }
  }
}

/* sum over the taps of one filter, for a plane of outputs. */
static void convolve(const sizes* s, const float* padded, const half* filter, float* sum) {
  memset(sum, 0, (size_t)(s->oh * s->ow) * sizeof *sum);
  for (int64_t k = 0; k < s->c * s->kh * s->kw; ++k) {
    const int64_t c = k / (s->kh * s->kw), ki = k / s->kw % s->kh, kj = k % s->kw;
    const float tap = float_of(filter[k]);
    for (int64_t i = 0; i < s->oh; ++i) {
      const float* row = padded + (c * s->ph + i + ki) * s->pw + kj;
      for (int64_t j = 0; j < s->ow; ++j) sum[i * s->ow + j] += row[j] * tap;
    }
  }
}

/* h += the filter's gradient of g, and d_padded += the transposed convolution of scaled = g*scale, rounded. */
static void gradients(const sizes* s, const float* padded, const half* filter, const float* g, const float* scaled,
                      float* h, float* d_padded) {
  for (int64_t k = 0; k < s->c * s->kh * s->kw; ++k) {
    const int64_t c = k / (s->kh * s->kw), ki = k / s->kw % s->kh, kj = k % s->kw;
    const float tap = float_of(filter[k]);
    float sum = 0;
    for (int64_t i = 0; i < s->oh; ++i) {
      const int64_t at = (c * s->ph + i + ki) * s->pw + kj;
      for (int64_t j = 0; j < s->ow; ++j) {
        sum += padded[at + j] * g[i * s->ow + j];
        d_padded[at + j] += tap * scaled[i * s->ow + j];
      }
    }
    h[k] += sum;
  }
}

static int run(const fusecheck_case* one) {
  const sizes s = sizes_of(one);
  const half *x = in(one, "x"), *w = in(one, "w"), *dy = in(one, "dy");
  const float *gamma = in(one, "gamma"), *beta = in(one, "beta"), *mean = in(one, "mean"), *var = in(one, "var");
  half *y = out(one, "y"), *dx = out(one, "dx"), *dw = out(one, "dw");
  float *dgamma = out(one, "dgamma"), *dbeta = out(one, "dbeta");
  const int64_t image = s.c * s.h * s.w, padded_size = s.c * s.ph * s.pw, plane = s.oh * s.ow;
  const int64_t taps = s.c * s.kh * s.kw;
  const float eps = (float)attribute(one, "eps", 0);
  float* padded = malloc((size_t)padded_size * sizeof(float));
  float* d_padded = malloc((size_t)padded_size * sizeof(float));
  float* sum = malloc((size_t)plane * sizeof(float));
  float* scaled = malloc((size_t)plane * sizeof(float));
  float* h = calloc((size_t)(s.oc * taps), sizeof(float));
  float* d_beta = calloc((size_t)s.oc, sizeof(float));
  if (!padded || !d_padded || !sum || !scaled || !h || !d_beta) return 1;
  for (int64_t n = 0; n < s.n; ++n) {
    pad_image(&s, x + n * image, padded);
    memset(d_padded, 0, (size_t)padded_size * sizeof(float));
    for (int64_t f = 0; f < s.oc; ++f) {
      const float scale = gamma[f] / sqrtf(var[f] + eps), shift = beta[f] - scale * mean[f];
      const int64_t first = (n * s.oc + f) * plane;
      convolve(&s, padded, w + f * taps, sum);
      for (int64_t p = 0; p < plane; ++p) {
        const float z = sum[p] * scale + shift;
        if (y) y[first + p] = half_of(z > 0 ? z : 0);
        if (!dx) continue;
        sum[p] = z > 0 ? float_of(dy[first + p]) : 0;
        scaled[p] = float_of(half_of(sum[p] * scale));
        d_beta[f] += sum[p];
      }
      if (dx) gradients(&s, padded, w + f * taps, sum, scaled, h + f * taps, d_padded);
    }
    for (int64_t i = 0; dx && i < image; ++i) {
      const int64_t c = i / (s.h * s.w), row = i / s.w % s.h, column = i % s.w;
      dx[n * image + i] = half_of(d_padded[(c * s.ph + row + s.top) * s.pw + column + s.left]);
    }
  }
  for (int64_t f = 0; dx && f < s.oc; ++f) {
    const float reciprocal = 1 / sqrtf(var[f] + eps);
    float along_weight = 0;
    for (int64_t k = 0; k < taps; ++k) {
      along_weight += float_of(w[f * taps + k]) * h[f * taps + k];
      dw[f * taps + k] = half_of(h[f * taps + k] * (gamma[f] * reciprocal));
    }
    dbeta[f] = d_beta[f];
    dgamma[f] = (along_weight - mean[f] * d_beta[f]) * reciprocal;
  }
  free(padded), free(d_padded), free(sum), free(scaled), free(h), free(d_beta);
  return 0;
}

const fusecheck_plugin* fusecheck_plugin_entry(void) {
  static const fusecheck_plugin plugin = {
      FUSECHECK_PLUGIN_VERSION, sizeof(fusecheck_plugin), info, supports, run, last_error};
  return &plugin;
}
