import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Holds Node to what the deployment counts on: in a real control group with a limit, half of it is
 * the most that the heap takes, and never more than about 2 GiB. Needs the right to make such a group.
 */
const ROOT = '/sys/fs/cgroup';
const IS_V2 = existsSync(join(ROOT, 'cgroup.controllers'));
const parent = IS_V2 ? ROOT : join(ROOT, 'memory');
const limitFile = IS_V2 ? 'memory.max' : 'memory.limit_in_bytes';
const MIB = 2 ** 20;
const ASK = `JSON.stringify([process.constrainedMemory(), v8.getHeapStatistics().heap_size_limit])`;

function heapWithin(limit: number): { readonly seen: number; readonly heap: number } {
  const group = join(parent, `unskew-heap-${process.pid}`);
  mkdirSync(group);
  try {
    writeFileSync(join(group, limitFile), `${limit}`);
    const enter = `echo $$ > ${join(group, 'cgroup.procs')}`;
    const script = `${enter} && exec ${process.execPath} -p 'const v8 = require("v8"); ${ASK}'`;
    const env = { ...process.env, NODE_OPTIONS: '' };
    const [seen, heap] = JSON.parse(execFileSync('sh', ['-c', script], { env, encoding: 'utf8' }));
    return { seen, heap };
  } finally {
    rmdirSync(group);
  }
}

for (const [limit, most] of [
  [512 * MIB, 288],
  [2048 * MIB, 1152],
  [4096 * MIB, 2304],
  [8192 * MIB, 2304],
] as const) {
  const { seen, heap } = heapWithin(limit);
  assert.equal(seen, limit, 'Node does not see the limit of its control group');
  assert.ok(heap <= most * MIB, `${heap / MIB} MiB of heap in ${limit / MIB} MiB`);
  assert.ok(heap >= Math.min(limit / 3, 1536 * MIB), `only ${heap / MIB} MiB of heap`);
  process.stdout.write(`${limit / MIB} MiB: a heap of ${Math.round(heap / MIB)} MiB at most\n`);
}
