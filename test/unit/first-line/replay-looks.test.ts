import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BODIES } from '../../../src/commands/cli/bodies.js';
import { type AbWorld, abLog } from '../../support/ab-world.js';
import { repetitions } from '../../support/repetitions.js';
import { run } from '../cli/fake-io.js';

const STREAMS = repetitions(1, 100);
const DAYS = repetitions(8, 21);
/** Four looks a day, and little computed beside. */
const LOOKS = [
  'time.tick=6h',
  'time.windows=24h',
  'estimates.estimators=snips',
  'estimates.metrics=recall',
  'estimates.ks=10',
  'baseline=none',
].flatMap((setting) => ['--set', setting]);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unskew-looks-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** The codes of what `replay` says of a world, look by look. */
async function codesOf(world: AbWorld): Promise<string[]> {
  const path = join(folder, `${world.seed}.ndjson`);
  const lines = abLog({ days: DAYS, users: 300, lists: 10, ...world }).map((event) =>
    JSON.stringify(event),
  );
  await writeFile(path, `${lines.join('\n')}\n`);
  const { stdout, stderr, code } = await run(['replay', path, ...LOOKS, '--json'], BODIES);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  await rm(path);
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).verdict[0].code as string);
}

it('replay prefers one of two equal arms in at most 9 of 100 streams, however often it looks', async () => {
  let preferred = 0;
  for (let seed = 1; seed <= STREAMS; seed++) {
    const codes = await codesOf({ seed });
    expect(codes.length).toBeGreaterThanOrEqual(4 * DAYS - 1);
    if (codes.includes('verdict_prefer')) preferred++;
  }
  expect(preferred).toBeLessThanOrEqual(0.09 * STREAMS);
  if (process.env['UNSKEW_PRINT'] === 'worlds') {
    process.stdout.write(`preferred in ${preferred} of ${STREAMS} streams\n`);
  }
}, 900_000);

it('replay prefers the better arm in the end', async () => {
  const codes = await codesOf({ seed: 1, better: () => 2.5 });
  expect(codes.at(-1)).toBe('verdict_prefer');
});
