import { mean, sampleStandardDeviation } from 'simple-statistics';
import type { InterventionName } from '../../src/estimators/names.js';
import type { InterventionSummary } from '../../src/estimators/results/window-estimates.js';
import { estimate } from '../oracle/window.js';
import { heldOutWindow, splitRatings } from '../reference/carraro-protocol.js';
import { coatRatings } from '../reference/coat.js';
import { type Row, type Table, within } from './table.js';

const SPLITS = 50;
/** In standard deviations of one split: the expected values are those of one. */
const TOLERANCE = 2.5;
/** Of raked weights' effective rows, over splits. */
const IPF_ROWS_STD_DEV = 55;

/** How far FULL, WTD_H and WTD_IPF are from uniform users and items, over splits of Coat. */
export function coatMargins(count = SPLITS): Table {
  const splits = interventionsOfSplits(count);
  // Where raking does not get to uniform margins its weights are a compromise, and it says so.
  const isDamped = (all: Interventions) => all.some(({ raking }) => raking?.isDamped);
  const exact = splits.filter((all) => !isDamped(all));
  const damped = splits.filter(isDamped);
  return {
    title: `Carraro & Bridge 2020, eqs. 11 and 12: distance from uniform margins, ${count} splits of Coat`,
    rows: [
      shown('FULL items', column(splits, 'full', items)),
      shown('FULL users', column(splits, 'full', users)),
      oneSplit('WTD_H items', column(splits, 'wtd_h', items), 0.41),
      oneSplit('WTD_H users', column(splits, 'wtd_h', users), 0.33),
      oneSplit('WTD_H effective rows', column(splits, 'wtd_h', effectiveRows), 392, 0),
      ...rakedRows(exact),
      shown('WTD_IPF damped, items', column(damped, 'wtd_ipf', items)),
      shown('WTD_IPF damped, users', column(damped, 'wtd_ipf', users)),
    ],
    note: [
      'Total variation between the shares of users (items) and uniform ones; the equations ask for 0.',
      'These are margins of the weights, not of the sample. Raking got to uniform',
      `margins in ${exact.length} of ${count} splits; in the others it was damped.`,
    ].join('\n'),
  };
}

type Interventions = readonly InterventionSummary[];
type Figure = (summary: InterventionSummary) => number;

const users: Figure = ({ margins }) => margins.user.weights;
const items: Figure = ({ margins }) => margins.item.weights;
const effectiveRows: Figure = ({ ess }) => ess;

/** 60 % of the train ratings give the posteriors, the rest are weighted; zero counts are left out. */
function interventionsOfSplits(count: number): Interventions[] {
  const train = coatRatings('train');
  const test = coatRatings('test');
  return Array.from({ length: count }, (_, split) => {
    const [known, heldOut] = splitRatings(train, [0.6, 0.4], split);
    return estimate(heldOutWindow('posPop', known, heldOut, test), {
      metrics: ['recall'],
      ks: [10],
      estimators: ['full', 'wtd_h', 'wtd_ipf'],
      smoothing: 0,
    }).interventions;
  });
}

function column(splits: Interventions[], name: InterventionName, figure: Figure): number[] {
  return splits.map((all) => figure(all.find(({ estimator }) => estimator === name)!));
}

/** Off where there is no split to tell from. */
function rakedRows(exact: Interventions[]): Row[] {
  const largest = (figure: Figure) => Math.max(...column(exact, 'wtd_ipf', figure));
  const rows = exact.length > 0 ? mean(column(exact, 'wtd_ipf', effectiveRows)) : Number.NaN;
  return [
    within('WTD_IPF items, largest', '0', largest(items), 0, 1e-9, 12),
    within('WTD_IPF users, largest', '0', largest(users), 0, 1e-9, 12),
    within('WTD_IPF effective rows', '–', rows, 1648, TOLERANCE * IPF_ROWS_STD_DEV, 0),
  ];
}

function shown(what: string, values: number[]): Row {
  if (values.length < 2) return { what, paper: '–', ours: 'none', heldTo: '–', isOk: true };
  return { what, paper: '–', ours: spread(values, 3), heldTo: '–', isOk: true };
}

function oneSplit(what: string, values: number[], expected: number, digits = 3): Row {
  const slack = TOLERANCE * sampleStandardDeviation(values);
  return {
    what,
    paper: '–',
    ours: spread(values, digits),
    heldTo: `${expected} (one split) within ${TOLERANCE} sd`,
    isOk: Math.abs(mean(values) - expected) <= slack,
  };
}

function spread(values: number[], digits: number): string {
  return `${mean(values).toFixed(digits)} ± ${sampleStandardDeviation(values).toFixed(digits)}`;
}
