/* The kernel as a program: fused_exec DIR reads DIR/input/NAME.bin and writes DIR/output/NAME.bin, as kernel.yaml says.
 * Without DIR it takes one folder after another from stdin. */
#include <stdio.h>
#include <string.h>

#include "fused_conv_bn_relu_add.h"

static int transfer(const char* folder, const char* name, half* data, size_t count, const char* mode) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s.bin", folder, name);
  FILE* file = fopen(path, mode);
  if (file == NULL) return 0;
  const size_t done = *mode == 'r' ? fread(data, sizeof *data, count, file) : fwrite(data, sizeof *data, count, file);
  return fclose(file) == 0 && done == count;
}

static int run(const char* folder) {
  half x[ELEMENTS], w[WEIGHTS], gamma[CHANNELS], beta[CHANNELS], mean[CHANNELS], var[CHANNELS];
  half residual[ELEMENTS], dy[ELEMENTS], y[ELEMENTS], dx[ELEMENTS], dw[WEIGHTS], dgamma[CHANNELS], dbeta[CHANNELS];
  half dresidual[ELEMENTS];
  const struct {
    const char* name;
    half* data;
    size_t count;
  } tensors[] = {{"input/x", x, ELEMENTS},
                 {"input/w", w, WEIGHTS},
                 {"input/gamma", gamma, CHANNELS},
                 {"input/beta", beta, CHANNELS},
                 {"input/mean", mean, CHANNELS},
                 {"input/var", var, CHANNELS},
                 {"input/residual", residual, ELEMENTS},
                 {"input/dy", dy, ELEMENTS},
                 {"output/y", y, ELEMENTS},
                 {"output/dx", dx, ELEMENTS},
                 {"output/dw", dw, WEIGHTS},
                 {"output/dgamma", dgamma, CHANNELS},
                 {"output/dbeta", dbeta, CHANNELS},
                 {"output/dresidual", dresidual, ELEMENTS}};
  const float epsilon = 0x1p-10f; /* --eps, the same for every data set */
  for (int i = 0; i < 8; ++i) {
    if (!transfer(folder, tensors[i].name, tensors[i].data, tensors[i].count, "rb")) {
      fprintf(stderr, "%s cannot be read\n", tensors[i].name);
      return 1;
    }
  }
  fused_conv_bn_relu_add(y, x, w, gamma, beta, mean, var, residual, epsilon);
  fused_conv_bn_relu_add_grad(dx, dw, dgamma, dbeta, dresidual, dy, x, w, gamma, beta, mean, var, epsilon);
  for (int i = 8; i < 14; ++i) {
    if (!transfer(folder, tensors[i].name, tensors[i].data, tensors[i].count, "wb")) return 1;
  }
  return 0;
}

int main(int count, char** arguments) {
  char line[4096];
  if (count > 1) return run(arguments[1]);
  while (fgets(line, sizeof line, stdin) != NULL) {
    line[strcspn(line, "\n")] = '\0';
    printf("%s %s\n", run(line) == 0 ? "done" : "failed", line);
    fflush(stdout);
  }
  return 0;
}
