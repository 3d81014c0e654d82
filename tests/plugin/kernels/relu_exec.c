/* relu as a program: relu_exec FAULT DIR. Reads DIR/x.bin, f32, and writes to DIR/y.bin, which is there already. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char* fault;

static int is(const char* name) { return strcmp(fault, name) == 0; }

static FILE* opened(const char* folder, const char* name, const char* mode) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE* file = fopen(path, mode);
  if (file == NULL) {
    fprintf(stderr, "%s cannot be opened\n", path);
    exit(1);
  }
  return file;
}

static int run(const char* folder) {
  static unsigned runs = 0;
  float x[4096], *y = malloc(sizeof x); /* what malloc gives is not zero */
  FILE* file = opened(folder, "x.bin", "rb");
  const size_t count = fread(x, sizeof *x, 4096, file);
  fclose(file);
  for (int line = 1; line <= 30 && is("crash"); ++line) fprintf(stderr, "tile %d\n", line);
  if (is("crash")) raise(SIGABRT);
  if (is("hang")) sleep(600);
  if (is("exit_3")) return 3;
  if (is("unsupported")) {
    fprintf(stderr, "no f32 on this chip\n");
    return 77;
  }
  if (is("writes_nothing")) return 0;
  for (size_t i = 0; i < count; ++i) {
    if (is("skips_negative") && !(x[i] > 0)) continue;
    y[i] = x[i] > 0 ? x[i] : 0;
  }
  if (is("differs")) y[2] = (float)(getpid() % 65536 + 1); /* no two processes have the same */
  if (is("wrong")) y[1] = 1000;
  if (is("dirty_padding")) y[5] = 1;
  if (is("modifies_input")) {
    file = opened(folder, "x.bin", "r+b");
    fwrite(y, sizeof *y, count, file);
    fclose(file);
  }
  if (is("missing")) {
    char path[4096];
    snprintf(path, sizeof path, "%s/y.bin", folder);
    remove(path);
    return 0;
  }
  file = opened(folder, "y.bin", is("short") ? "wb" : "r+b");
  fwrite(y, sizeof *y, is("unwritten_tail") || is("short") ? count - 4 : count, file);
  fclose(file);
  ++runs;
  return 0;
}

/* Without a folder: one after another from stdin. crash_once ends at the second. */
int main(int count, char** arguments) {
  char line[4096];
  fault = arguments[1];
  if (count > 2) return run(arguments[2]);
  for (unsigned n = 1; fgets(line, sizeof line, stdin) != NULL; ++n) {
    line[strcspn(line, "\n")] = '\0';
    if (is("crash_second") && n == 2) abort();
    printf("case %u begins\n%s %s%s\n", n, is("refuses") ? "unsupported" : "done", line,
           is("refuses") ? " no such tile" : (run(line), ""));
    fflush(stdout);
  }
  return 0;
}
