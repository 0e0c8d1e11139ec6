import { expect, it } from 'vitest';
import { SHOWN } from '../../../../src/events/columns.js';
import { LetGo } from '../../../../src/state/counts/let-go.js';
import { reachableBytes } from '../../../support/collect.js';

const NAMES = 20_000;

it('takes half a kilobyte for a name of a model that comes once, as docs/memory.md says', () => {
  const items = Int32Array.of(0, 1);
  const before = reachableBytes();
  const letGo = new LetGo();
  for (let name = 0; name < NAMES; name++) letGo.addExposure(name, SHOWN, items, 0, 2);
  const bytes = (reachableBytes() - before) / NAMES;
  expect(letGo.lists.size).toBe(NAMES);
  expect(bytes).toBeLessThan(550);
});
