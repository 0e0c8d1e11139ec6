import { UNCORRECTED } from '../../estimators/names.js';
import {
  estimateTable,
  sensitivityTable,
  weightTable,
} from '../../outputs/sections/number-tables.js';
import { listsFromV1 } from '../../outputs/window-rows.js';
import type { ShownRow } from '../../rows/row.js';
import type { Table } from '../../rows/table.js';
import { metricName } from '../../rows/words.js';
import { make } from '../element.js';
import { type View, withBaseline } from '../view.js';
import { type Panel, placeBox, scrollBox } from './panel.js';
import { tableOf } from './table.js';

interface TablePanel extends Omit<Panel, 'mount'> {
  readonly label: string;
  readonly kind?: string;
  /** Build the table, or explain in words why there is none. */
  show(view: View, box: HTMLElement): Table | string;
}

/** Create a panel that consists of one table. */
export function tablePanel({ label, kind, show, ...words }: TablePanel): Panel {
  return {
    ...words,
    mount(box) {
      const place = scrollBox(box, words.name, label, kind);
      return (view) => {
        const shown = show(view, box);
        place.replaceChildren(
          typeof shown === 'string' ? make('p', 'empty', shown) : tableOf(shown),
        );
      };
    },
  };
}

/**
 * Panel of the chosen metric by every estimator: value, standard error, interval and effective
 * sample size.
 */
export const NUMBERS = tablePanel({
  name: 'numbers',
  width: 12,
  title: ({ tick }) => `All estimators, ${metricName(tick.chosen)}`,
  note: 'For each estimator: value, standard error, 95 % interval, and effective number of users.',
  label: 'All estimators',
  kind: 'many',
  show: (view) => estimateTable('Estimates of the chosen metric', rowsOf(view)),
});

/**
 * Rows of the chosen metric by model. If true values are known, they are added as rows of the
 * estimator `true`.
 */
function rowsOf(view: View): ShownRow[] {
  const { chosen, window } = view.tick;
  const known = window.truth.map(
    (row): ShownRow => ({
      ...chosen,
      ...row,
      family: 'truth',
      estimator: 'true',
      form: chosen.aggregation,
      stdErr: null,
      lower: null,
      upper: null,
      ess: null,
      counts: {},
      status: 'given',
      reasons: [],
    }),
  );
  const rows = [...listsFromV1(window).results, ...known];
  return withBaseline(view).flatMap((model) => rows.filter((row) => row.model === model));
}

const FOUND = 'Organic interactions';

/**
 * Panel of the chosen metric over organic interactions. Shown only if interactions driven by
 * recommendations are identified.
 */
export const UNCAUSED = tablePanel({
  name: 'uncaused',
  width: 6,
  title: ({ tick }) => `${FOUND}: ${metricName(tick.chosen)}`,
  note: 'Estimates from organic interactions, which no served list drove.',
  label: FOUND,
  show(view, box) {
    const { results = [] } = listsFromV1(view.tick.window).feedback?.uncaused ?? {};
    const hasNumbers = results.some(({ estimator }) => estimator === view.estimator);
    placeBox(box, 'uncaused', hasNumbers, view);
    const shown = [view.estimator, UNCORRECTED];
    return estimateTable(
      FOUND,
      results.filter(({ estimator }) => shown.includes(estimator)),
    );
  },
});

/** Panel of weights by size: fraction of events and of total weight. */
export const WEIGHTS = tablePanel({
  name: 'weights',
  width: 4,
  title: 'Importance weights',
  note: 'Weights relative to their mean. If few events carry most of the weight, they decide the estimate.',
  label: 'Importance weights',
  show: ({ tick: { window } }) =>
    window.weightDistribution.every(({ rows }) => rows === 0)
      ? 'No event has a weight above 0 in this window.'
      : weightTable(window.weightDistribution),
});

/** Panel of estimates over a range of γ, and of the γ at which models swap order. */
export const GAMMA_BANDS = tablePanel({
  name: 'gamma-bands',
  width: 4,
  title: ({ tick }) => `${metricName(tick.chosen)} at other values of γ`,
  note: 'Snips over all events. γ = −1 gives the naive value; γ = 1 assumes that all items are equally relevant.',
  label: 'Estimates at other values of γ',
  show: ({ tick: { window } }) =>
    window.sensitivity === null
      ? 'γ does not affect any estimate of this metric.'
      : sensitivityTable('Estimates at other values of γ', window.sensitivity),
});
