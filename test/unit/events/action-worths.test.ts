import { expect, it } from 'vitest';
import { ActionWorths } from '../../../src/events/action-worths.js';

const codeOf = (actions: ActionWorths, name: string) => {
  const bytes = Buffer.from(`..${name}..`);
  return actions.intern(bytes, 2, bytes.length - 2);
};

it('action classes rise with their worth, and a click has the code −1', () => {
  const actions = new ActionWorths({ view: 0, click: 1, purchase: 5, 'wish‑list': 2.5 });
  expect(actions.worths).toEqual([0, 1, 2.5, 5]);
  expect(['view', 'click', 'wish‑list', 'purchase'].map((name) => codeOf(actions, name))).toEqual([
    0, -1, 2, 3,
  ]);
  expect(actions.worths[actions.usual]).toBe(1);
  expect([...actions.worthwhile()!]).toEqual([1, 0, 1, 1, 1, 1]);
});

it('unconfigured actions differ in code from actions of the same worth', () => {
  const actions = new ActionWorths({ view: 0, like: 1, click: 3, purchase: 5 });
  expect(['like', 'share', 'Click', 'purchase'].map((name) => codeOf(actions, name))).toEqual([
    1, 4, 4, 3,
  ]);
  expect(actions.unknown).toBe(4);
  expect([-1, 0, 1, 3, 4].map((code) => actions.worths[actions.classOf(code)])).toEqual([
    3, 0, 1, 5, 1,
  ]);
  // A click is known without configuration.
  expect(codeOf(new ActionWorths({ view: 0 }), 'click')).toBe(-1);
});
