/* The interface between fusecheck and a kernel in a shared library. C99, no other header of fusecheck is needed.
 *
 * The library exports one function, fusecheck_plugin_entry, and nothing else is looked up. It is loaded into a process
 * of its own; each call is made from one thread. fusecheck owns every pointer that it passes, and what they point to
 * lives until the call returns; nothing is freed by the library. No exception may leave it.
 *
 * Versions: a library says which version it was compiled for. Structures only grow, at their end, and every one begins
 * with its version and size or is reached through one that does, so that either side can tell what the other knows.
 */
#ifndef FUSECHECK_PLUGIN_H
#define FUSECHECK_PLUGIN_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FUSECHECK_PLUGIN_VERSION 1u

/* Element types. f16 and bf16 are bit patterns of two bytes, boolean is one byte, 0 or 1. All little-endian. */
enum {
  FUSECHECK_F64 = 1,
  FUSECHECK_F32 = 2,
  FUSECHECK_F16 = 3,
  FUSECHECK_BF16 = 4,
  FUSECHECK_I64 = 5,
  FUSECHECK_I32 = 6,
  FUSECHECK_U8 = 7,
  FUSECHECK_BOOLEAN = 8
};

/* How the elements lie: ND, NCHW row-major as the shape says; the others as CANN defines them. */
enum {
  FUSECHECK_LAYOUT_ND = 0,
  FUSECHECK_LAYOUT_NCHW = 1,
  FUSECHECK_LAYOUT_NHWC = 2,
  FUSECHECK_LAYOUT_NC1HWC0 = 3,
  FUSECHECK_LAYOUT_NZ = 4
};

typedef struct fusecheck_tensor {
  const char* name;       /* "x", "w", "dy", "y", "dx" ... */
  void* data;             /* aligned to 64 bytes; of an input: must not be written to */
  uint64_t bytes;         /* exactly; beyond them lies memory that is watched */
  int32_t dtype;          /* FUSECHECK_F16 ... */
  int32_t layout;         /* FUSECHECK_LAYOUT_ND ... */
  int32_t rank;           /* dimensions as stored: 5 for NC1HWC0 */
  int32_t reserved;       /* 0 */
  const int64_t* shape;   /* as stored, `rank` of them */
  const int64_t* strides; /* in bytes, row-major, `rank` of them */
} fusecheck_tensor;

typedef struct fusecheck_attribute {
  const char* name; /* "stride", "pad" (top, left, bottom, right), "eps" ...; "bn" is 0 for inference, 1 for training */
  const double* values;
  uint64_t count;
} fusecheck_attribute;

typedef struct fusecheck_case {
  uint32_t version; /* FUSECHECK_PLUGIN_VERSION of fusecheck */
  uint32_t size;    /* sizeof(fusecheck_case) there */
  const char* line; /* the case in one line, as reports print it */
  const char* op;   /* "ConvBnRelu" */
  const fusecheck_attribute* attributes;
  uint64_t attribute_count;
  const fusecheck_tensor* inputs; /* by name, in no order to rely on */
  uint64_t input_count;
  const fusecheck_tensor* outputs; /* all of them must be written, every element */
  uint64_t output_count;
} fusecheck_case;

typedef struct fusecheck_plugin {
  uint32_t version; /* FUSECHECK_PLUGIN_VERSION that the library was compiled with */
  uint32_t size;    /* sizeof(fusecheck_plugin) */
  /* Name and version of the kernel, for messages; never null. */
  const char* (*info)(void);
  /* Not 0: the kernel does this case. Tensors have shapes and types, but no data. 0: last_error may say why not. */
  int (*supports)(const fusecheck_case* one);
  /* 0: every output is written. Anything else: it failed, and last_error may say why. Called several times for a case;
   * the same inputs must give the same bits. */
  int (*run)(const fusecheck_case* one);
  /* Why the last call failed, or null. Valid until the next call. */
  const char* (*last_error)(void);
} fusecheck_plugin;

/* The only symbol of the library that is looked up. The table lives as long as the library. */
const fusecheck_plugin* fusecheck_plugin_entry(void);
typedef const fusecheck_plugin* (*fusecheck_plugin_entry_type)(void);

#ifdef __cplusplus
}
#endif

#endif
