import { expect, it } from 'vitest';
import { forgetRetired } from '../../../../src/features/drift/drift-monitor.js';
import type { WatchState } from '../../../../src/features/drift/watch.js';

it.each([
  'estimate/snips/mse/a/b',
  'gap/snips/recall@10/a/b',
  'uncaused/snips/recall@10/a/b',
  'value/dr/a/b',
  'on_policy/a/b',
  'lists/a/b',
  'gini/exposures/a/b',
  'popularity/exposures/a/b',
])('%s is dropped with its model, and no earlier', (name) => {
  const series = { [name]: {}, 'gini/interactions': {} } as unknown as WatchState;
  forgetRetired(series, ['a/b']);
  expect(Object.keys(series)).toContain(name);
  forgetRetired(series, ['b']);
  expect(Object.keys(series)).toEqual(['gini/interactions']);
});
