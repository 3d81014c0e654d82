/* y = relu(batch_norm(conv(x, w))) + residual in half precision, 1x4x6x5, 4 filters of 3x3, padding 1: the argument
 * list that a kernel for an NPU has, where shapes are known when it is compiled. */
#ifndef FUSED_CONV_BN_RELU_ADD_H
#define FUSED_CONV_BN_RELU_ADD_H

#include "half.h"

enum { CHANNELS = 4, HEIGHT = 6, WIDTH = 5, KERNEL = 3, PAD = 1 };
enum { PLANE = HEIGHT * WIDTH, ELEMENTS = CHANNELS * PLANE, WEIGHTS = CHANNELS * CHANNELS * KERNEL * KERNEL };

void fused_conv_bn_relu_add(half* output, const half* input, const half* conv_weight, const half* bn_gamma,
                            const half* bn_beta, const half* bn_mean, const half* bn_var, const half* residual_input,
                            const float epsilon);

void fused_conv_bn_relu_add_grad(half* d_input, half* d_conv_weight, half* d_bn_gamma, half* d_bn_beta,
                                 half* d_residual, const half* d_output, const half* input, const half* conv_weight,
                                 const half* bn_gamma, const half* bn_beta, const half* bn_mean, const half* bn_var,
                                 const float epsilon);

#endif
