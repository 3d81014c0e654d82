// Runs what 'fusecheck golden export --format onnx' wrote with ONNX Runtime, and writes the outputs as .npy, for
// 'fusecheck compare'. No test needs it.
//
//   npm install --ignore-scripts onnxruntime-node
//   node run_onnxruntime.mjs EXPORT OUT && fusecheck compare OUT GOLDEN
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';

// From the working directory's node_modules, wherever this file lies.
const ort = createRequire(join(process.cwd(), 'any.js'))('onnxruntime-node');

// TensorProto.DataType -> type of the runtime, array, descr of numpy. BFLOAT16 is no type of the runtime's JavaScript
// interface.
const types = {
  1: ['float32', Float32Array, '<f4'],
  6: ['int32', Int32Array, '<i4'],
  7: ['int64', BigInt64Array, '<i8'],
  9: ['bool', Uint8Array, '|b1'],
  10: ['float16', globalThis.Float16Array ?? Uint16Array, '<f2'],
  11: ['float64', Float64Array, '<f8'],
};

// The fields of a protobuf message: [number, varint or bytes]. (protobuf.dev: encoding)
function* fields(bytes) {
  let at = 0;
  const varint = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++];
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const key = Number(varint());
    if ((key & 7) === 0) yield [key >> 3, varint()];
    if ((key & 7) === 2) {
      const length = Number(varint());
      yield [key >> 3, bytes.subarray(at, (at += length))];
    }
    if (![0, 2].includes(key & 7)) throw new Error('wire type ' + (key & 7));
  }
}

// TensorProto: dims 1 (packed or one by one), data_type 2, name 8, raw_data 9.
function readTensor(file) {
  const tensor = { dims: [], name: '', data: new Uint8Array(0) };
  for (const [number, value] of fields(readFileSync(file))) {
    if (number === 1) tensor.dims.push(Number(value));
    if (number === 2) tensor.type = Number(value);
    if (number === 8) tensor.name = Buffer.from(value).toString();
    if (number === 9) tensor.data = Uint8Array.from(value);
  }
  if (!(tensor.type in types)) throw new Error(`data type ${tensor.type} of ${tensor.name}: not for this runtime`);
  return tensor;
}

function writeNpy(file, dims, descr, data) {
  const shape = '(' + dims.join(', ') + (dims.length === 1 ? ',)' : ')');
  const text = `{'descr': '${descr}', 'fortran_order': False, 'shape': ${shape}, }`;
  const header = text.padEnd(128 - 10 - 1) + '\n';
  const head = Buffer.from('\x93NUMPY\x01\x00\x00\x00' + header, 'latin1');
  head.writeUInt16LE(header.length, 8);
  writeFileSync(file, Buffer.concat([head, Buffer.from(data.buffer, data.byteOffset, data.byteLength)]));
}

async function run(folder, out) {
  const feeds = {};
  for (const file of readdirSync(join(folder, 'test_data_set_0'))) {
    if (!file.startsWith('input_')) continue;
    const { name, dims, type, data } = readTensor(join(folder, 'test_data_set_0', file));
    const [kind, Array] = types[type];
    feeds[name] = new ort.Tensor(kind, new Array(data.buffer, data.byteOffset, data.length / Array.BYTES_PER_ELEMENT), dims);
  }
  // Without optimisation the graph runs as it is written.
  const level = process.env.ORT_OPTIMIZATION ?? 'disabled';
  const session = await ort.InferenceSession.create(join(folder, 'model.onnx'), { graphOptimizationLevel: level });
  const results = await session.run(feeds);
  mkdirSync(out, { recursive: true });
  for (const [name, { dims, type, data }] of Object.entries(results)) {
    const descr = Object.values(types).find(([kind]) => kind === type)[2];
    writeNpy(join(out, name + '.npy'), dims, descr, data);
  }
}

const [source, target] = process.argv.slice(2);
if (target === undefined) {
  console.error('usage: node run_onnxruntime.mjs EXPORT OUT');
  process.exit(2);
}
let failed = 0;
for (const file of readdirSync(source, { recursive: true }).sort()) {
  if (!file.endsWith('model.onnx')) continue;
  const folder = join(source, file, '..');
  try {
    await run(folder, join(target, relative(source, folder)));
  } catch (error) {
    failed = 1;
    console.error(`${relative(source, folder)}: ${error.message}`);
  }
}
process.exit(failed);
