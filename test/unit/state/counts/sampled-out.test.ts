import { expect, it } from 'vitest';
import { SHOWN } from '../../../../src/events/columns.js';
import { SampledOut } from '../../../../src/state/counts/sampled-out.js';
import { reachableBytes } from '../../../support/collect.js';

const NAMES = 5_000;

it('takes half a kilobyte per model name that occurs once, as docs/sizing.md says', () => {
  const items = Int32Array.of(0, 1);
  const before = reachableBytes();
  const sampledOut = new SampledOut();
  for (let name = 0; name < NAMES; name++) sampledOut.addExposure(name, SHOWN, items, 0, 2);
  const bytes = (reachableBytes() - before) / NAMES;
  expect(sampledOut.lists.size).toBe(NAMES);
  expect(bytes).toBeLessThan(550);
});
