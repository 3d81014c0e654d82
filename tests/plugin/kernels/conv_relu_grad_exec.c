/* The gradient dx of ConvRelu with one 1x1 filter on one channel, f32, from the mask that the forward saved:
 * dx = w*dy where the mask is 1. conv_relu_grad_exec DIR; with a second argument the mask is taken to be all ones. */
#include <stdio.h>

static size_t transfer(const char* folder, const char* name, void* data, size_t size, const char* mode) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s.bin", folder, name);
  FILE* file = fopen(path, mode);
  if (file == NULL) return 0;
  const size_t count = *mode == 'r' ? fread(data, size, 1024, file) : fwrite(data, size, 1024, file);
  fclose(file);
  return count;
}

int main(int count, char** arguments) {
  unsigned char mask[1024];
  float w[1024], dy[1024], dx[1024];
  const size_t elements = transfer(arguments[1], "dy", dy, sizeof *dy, "rb");
  if (transfer(arguments[1], "w", w, sizeof *w, "rb") != 1) return 1;
  if (transfer(arguments[1], "mask", mask, 1, "rb") != elements || elements != 1024) return 1;
  for (size_t i = 0; i < elements; ++i) dx[i] = count > 2 || mask[i] ? dy[i] * w[0] : 0;
  return transfer(arguments[1], "dx", dx, sizeof *dx, "wb") == elements ? 0 : 1;
}
