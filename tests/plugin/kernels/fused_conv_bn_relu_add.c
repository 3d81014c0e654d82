/* The f32 accumulator never leaves the kernel, and everything is rounded once, when it is stored. The backward computes
 * the sign in front of relu again. With g = dy where that is positive, s = gamma/sqrt(var + eps) and h = wgrad(x, g):
 * dbeta = sum(g), dgamma = (<w, h> - mean*dbeta)/sqrt(var + eps), dw = s*h, dx = the transposed convolution of s*g. */
#include "fused_conv_bn_relu_add.h"

#include <math.h>

static float convolution(const half* input, const half* weight, int filter, int row, int column) {
  float sum = 0;
  for (int c = 0; c < CHANNELS; ++c) {
    for (int i = 0; i < KERNEL; ++i) {
      for (int j = 0; j < KERNEL; ++j) {
        const int y = row + i - PAD, x = column + j - PAD;
        if (y < 0 || y >= HEIGHT || x < 0 || x >= WIDTH) continue;
        sum += float_of(input[c * PLANE + y * WIDTH + x]) *
               float_of(weight[((filter * CHANNELS + c) * KERNEL + i) * KERNEL + j]);
      }
    }
  }
  return sum;
}

/* Before relu. */
static float normalised(const half* input, const half* weight, int filter, int row, int column, float scale,
                        float shift) {
  return convolution(input, weight, filter, row, column) * scale + shift;
}

void fused_conv_bn_relu_add(half* output, const half* input, const half* conv_weight, const half* bn_gamma,
                            const half* bn_beta, const half* bn_mean, const half* bn_var, const half* residual_input,
                            const float epsilon) {
  for (int f = 0; f < CHANNELS; ++f) {
    const float scale = float_of(bn_gamma[f]) / sqrtf(float_of(bn_var[f]) + epsilon);
    const float shift = float_of(bn_beta[f]) - scale * float_of(bn_mean[f]);
    for (int p = 0; p < PLANE; ++p) {
      const float z = normalised(input, conv_weight, f, p / WIDTH, p % WIDTH, scale, shift);
      output[f * PLANE + p] = half_of((z > 0 ? z : 0) + float_of(residual_input[f * PLANE + p]));
    }
  }
}

void fused_conv_bn_relu_add_grad(half* d_input, half* d_conv_weight, half* d_bn_gamma, half* d_bn_beta,
                                 half* d_residual, const half* d_output, const half* input, const half* conv_weight,
                                 const half* bn_gamma, const half* bn_beta, const half* bn_mean, const half* bn_var,
                                 const float epsilon) {
  float d_sum[ELEMENTS] = {0};
  for (int f = 0; f < CHANNELS; ++f) {
    const float reciprocal = 1 / sqrtf(float_of(bn_var[f]) + epsilon);
    const float scale = float_of(bn_gamma[f]) * reciprocal;
    const float shift = float_of(bn_beta[f]) - scale * float_of(bn_mean[f]);
    float h[WEIGHTS / CHANNELS] = {0}, d_beta = 0, along_weight = 0;
    for (int p = 0; p < PLANE; ++p) {
      const int row = p / WIDTH, column = p % WIDTH;
      d_residual[f * PLANE + p] = d_output[f * PLANE + p];
      if (!(normalised(input, conv_weight, f, row, column, scale, shift) > 0)) continue;
      const float g = float_of(d_output[f * PLANE + p]);
      const float scaled = float_of(half_of(g * scale));
      d_beta += g;
      for (int k = 0; k < WEIGHTS / CHANNELS; ++k) {
        const int y = row + k / KERNEL % KERNEL - PAD, x = column + k % KERNEL - PAD;
        if (y < 0 || y >= HEIGHT || x < 0 || x >= WIDTH) continue;
        const int at = k / (KERNEL * KERNEL) * PLANE + y * WIDTH + x;
        h[k] += float_of(input[at]) * g;
        d_sum[at] += float_of(conv_weight[f * (WEIGHTS / CHANNELS) + k]) * scaled;
      }
    }
    for (int k = 0; k < WEIGHTS / CHANNELS; ++k) {
      along_weight += float_of(conv_weight[f * (WEIGHTS / CHANNELS) + k]) * h[k];
      d_conv_weight[f * (WEIGHTS / CHANNELS) + k] = half_of(h[k] * scale);
    }
    d_bn_beta[f] = half_of(d_beta);
    d_bn_gamma[f] = half_of((along_weight - float_of(bn_mean[f]) * d_beta) * reciprocal);
  }
  for (int i = 0; i < ELEMENTS; ++i) d_input[i] = half_of(d_sum[i]);
}
