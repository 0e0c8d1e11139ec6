import { expect, it } from 'vitest';
import { valueLines } from '../../../src/features/values/lines.js';
import { v1Window } from '../../../src/outputs/json/v1.js';
import { toEvaluationJson } from '../../../src/outputs/text/evaluation.js';
import { Outcomes } from '../../../src/stream/outcomes.js';
import type { WindowSnapshot } from '../../../src/stream/snapshot.js';
import { makeSnapshot } from '../../fixtures/snapshot.js';
import { valueDifferenceRow, valueRowOf } from '../../support/rows.js';

const none = Number.NaN;
const DIFFERENCES = [
  valueDifferenceRow({ proved: 'worse' }),
  valueDifferenceRow({ model: 'c', estimator: 'arms_snips', value: 0.25, upper: none }),
  valueDifferenceRow({ model: 'd', value: none, lower: none, upper: none, withheld: 'heavy_row' }),
];
const windowWith = (more: Partial<WindowSnapshot>): WindowSnapshot => ({
  ...makeSnapshot({ windows: ['1h'] }).windows[0]!,
  values: [valueRowOf()],
  ...more,
});

it('each model stands beside the control, with its form, interval and what is proved', () => {
  const lines = valueLines(windowWith({ valueDifferences: DIFFERENCES }));
  expect(lines.slice(4)).toEqual([
    '',
    'How much more than those of a (on_policy), over the same requests of this window',
    'model        form     more        ±       95 % interval   proved',
    'b       on_policy  −0.5000   0.1000  −0.7000 to −0.3000    worse',
    'c      arms_snips  +0.2500   0.1000        from −0.7000        –',
    'd       on_policy  refused        –                   –        –',
  ]);
});

it('nothing is compared where there is one model, and nothing said where none is valued', () => {
  expect(valueLines(windowWith({ valueDifferences: [] }))).toHaveLength(4);
  expect(valueLines(makeSnapshot().windows[0]!)).toEqual([]);
});

it('the JSON has them among the differences, and the test of the shares', () => {
  const sampleRatio = { chiSquare: 4, freedom: 1, p: 0.0455 };
  const window = windowWith({ valueDifferences: DIFFERENCES, sampleRatio });
  const json = toEvaluationJson({ ...makeSnapshot(), windows: [window] }, 0, new Outcomes());
  const { differences, valueDifferences } = v1Window(window);
  expect(json.differences).toEqual([...differences, ...valueDifferences!]);
  expect(json.sampleRatio).toEqual(sampleRatio);
  expect(toEvaluationJson(makeSnapshot(), 0, new Outcomes())).not.toHaveProperty('sampleRatio');
});
