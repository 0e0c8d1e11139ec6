import { UNCORRECTED } from '../../estimators/names.js';
import { decimal, whole } from '../../rows/figures.js';
import { FEW_USERS } from '../../rows/findings/thresholds.js';
import { metricName } from '../../rows/words.js';
import { Chart } from '../charts/chart.js';
import { faded, palette } from '../charts/colours.js';
import type { Line } from '../charts/series-table.js';
import { colourOf, drawnModels, shownPart } from '../view.js';
import { chartHost, type Panel } from './panel.js';

/** Panel of the effective sample size of the chosen estimator, with the minimum for verdicts. */
export const SAMPLES: Panel = {
  name: 'samples',
  width: 4,
  title: ({ estimator }) => `Effective sample size of ${estimator}`,
  note: `The number of equally weighted users that the estimate is worth. Below ${FEW_USERS}, do not decide on the estimate.`,
  mount(box) {
    const chart = new Chart(chartHost(box, 'samples'), {
      x: 'time',
      formatY: whole,
      includes: [0],
    });
    return (view) => {
      const part = shownPart(view, view.tables.samples);
      const colours = palette();
      const { window } = view.tick.chosen;
      const lines: Line[] = drawnModels(view).map((model) => {
        const n = colourOf(view, model);
        const values = part.column(
          {
            model,
            estimator: view.estimator,
            window,
          },
          'users',
        );
        return {
          label: model,
          colour: colours.of(n),
          dash: colours.dash(n),
          values,
        };
      });
      const floor = part.times.map(() => FEW_USERS);
      lines.push({
        label: 'too few',
        colour: colours.warn,
        values: floor,
        dash: [3, 3],
        width: 1.25,
      });
      chart.show(part.times, lines, [...view.marks, ...view.sourceMarks]);
      const newest = lines.map(({ label, values }) => `${label} ${whole(values.at(-1))}`);
      chart.describe(`Effective number of users over time; newest: ${newest.join(', ')}`);
    };
  },
};

/**
 * Panel of the chosen metric over time: corrected with its interval (solid), uncorrected (dashed),
 * true value (dotted), and over organic interactions (dash-dot).
 */
export const ESTIMATES: Panel = {
  name: 'estimates-over-time',
  width: 7,
  title: ({ tick }) => `${metricName(tick.chosen)} over time`,
  note: ({ estimator }) =>
    `Solid: ${estimator} with its 95 % interval. Dashed: ${UNCORRECTED}. Dotted: the true value, if known. Dash-dot: ${estimator} from organic interactions, if reported.`,
  mount(box) {
    const chart = new Chart(chartHost(box, 'estimates'), {
      x: 'time',
      formatY: (y) => decimal(y, 3),
      height: 300,
    });
    return (view) => {
      const { chosen } = view.tick;
      const part = shownPart(view, view.tables.estimates);
      const { metric, k, aggregation, window } = chosen;
      const lines = drawnModels(view).flatMap((model): Line[] => {
        const of = (estimator: string, value: string) =>
          part.column(
            {
              model,
              metric,
              k,
              estimator,
              aggregation,
              window,
            },
            value,
          );
        const n = colourOf(view, model);
        const colour = palette().of(n);
        const band = {
          lower: of(view.estimator, 'lower'),
          upper: of(view.estimator, 'upper'),
        };
        const main = {
          label: model,
          colour,
          dash: palette().dash(n),
          width: 2.25,
        };
        const light = {
          label: '',
          colour: faded(colour, 0.6),
          width: 1.25,
        };
        return [
          {
            ...light,
            values: of(UNCORRECTED, 'value'),
            dash: [6, 4],
          },
          {
            ...light,
            values: of('truth', 'value'),
            dash: [1.5, 3],
          },
          {
            ...light,
            values: of(view.estimator, 'uncaused'),
            dash: [9, 3, 1.5, 3],
          },
          {
            ...main,
            values: of(view.estimator, 'value'),
            band,
          },
        ];
      });
      chart.show(part.times, lines, [...view.marks, ...view.sourceMarks]);
      const name = metricName({ metric, k });
      const newest = lines
        .filter(({ label }) => label !== '')
        .map(({ label, values }) => `${label} ${decimal(values.at(-1), 3)}`);
      chart.describe(`${name} by ${view.estimator} over time; newest: ${newest.join(', ')}`);
    };
  },
};
