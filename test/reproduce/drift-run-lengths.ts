import { normals } from '../oracle/normal.js';
import { runLength } from '../oracle/run-length.js';
import { DETECTORS, PUBLISHED } from '../unit/drift/run-lengths.js';
import { type Row, type Table, within } from './table.js';

/** Relative error that the known figures are taken to have: they were simulated as well. */
const THEIR_ERROR = 0.03;

/**
 * Mean panes to a false alarm and to find a change of 1σ, in many more runs than the tests make.
 */
export function driftRunLengths(runs = 4000): Table {
  const rows: Row[] = [];
  const add = (what: string, mean: number, times: number, wanted: number, seed: number) => {
    const random = normals(seed);
    const found = runLength(times, () => {
      const fires = DETECTORS[what.split(' ')[0]]();
      return () => fires(mean + random());
    });
    const tolerance = 3 * Math.hypot(found.stdErr, THEIR_ERROR * wanted);
    rows.push(within(what, String(wanted), found.mean, wanted, tolerance, 2));
  };
  for (const [name, [falseAlarm, delay]] of Object.entries(PUBLISHED)) {
    add(`${name} panes to a false alarm`, 0, runs, falseAlarm, 1);
    add(`${name} delay at 1σ`, 1, 5 * runs, delay, 2);
  }
  return {
    title: 'Detectors of drift on standard normal scores',
    rows,
    note: 'The reference figures are simulated too, with an error of about 3 %.',
  };
}
