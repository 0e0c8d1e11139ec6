import { LEADING, UNCORRECTED } from '../../../estimators/names.js';
import type { LiveTick } from '../../../outputs/http/schema/live-tick.js';
import { Chart } from '../../../page/charts/chart.js';
import { faded, palette } from '../../../page/charts/colours.js';
import type { Line } from '../../../page/charts/series-table.js';
import { make } from '../../../page/element.js';
import { chartHost, type Panel } from '../../../page/panels/panel.js';
import { colourOf, drawnModels, shownPart, type View } from '../../../page/view.js';
import { decimal } from '../../../rows/figures.js';
import { metricName } from '../../../rows/words.js';

const TITLE = 'Predicted ratings over time';

type Measure = Pick<
  NonNullable<LiveTick['window']['ratings']>['estimates'][number],
  'metric' | 'k'
>;

/**
 * Chart of the chosen rating metric over time: corrected with its interval (solid), and uncorrected
 * (dashed).
 */
export const RATINGS_OVER_TIME: Panel = {
  name: 'ratings-over-time',
  width: 12,
  title: TITLE,
  note: `Solid: ${LEADING} with its 95 % interval. Dashed: ${UNCORRECTED}. Gaps: windows without an estimate.`,
  mount(box) {
    const select = make('select');
    select.id = 'rating-metric';
    box.append(make('label', 'note', 'Metric ', select));
    const chart = new Chart(chartHost(box, 'ratings-over-time'), {
      x: 'time',
      formatY: (y) => decimal(y, 3),
    });
    let view: View | undefined;
    const draw = (): void => {
      if (view === undefined) return;
      const measures = measuresOf(view.tick);
      const measure = measures.find((each) => metricName(each) === select.value) ?? measures[0];
      if (measure === undefined) return;
      const part = shownPart(view, view.tables.estimates);
      chart.show(part.times, linesOf(view, measure), view.marks);
      const newest = linesOf(view, measure)
        .filter(({ label }) => label !== '')
        .map(({ label, values }) => `${label} ${decimal(values.at(-1), 3)}`);
      chart.describe(
        `${metricName(measure)} by ${LEADING} over time; newest: ${newest.join(', ')}`,
      );
    };
    select.addEventListener('change', draw);
    return (next) => {
      view = next;
      const names = measuresOf(next.tick).map(metricName);
      box.hidden = names.length === 0;
      if ([...select.options].map(({ value }) => value).join() !== names.join()) {
        const { value } = select;
        select.replaceChildren(...names.map((name) => new Option(name)));
        if (names.includes(value)) {
          select.value = value;
        }
      }
      draw();
    };
  },
};

/** Rating metrics and cut-offs to choose from, in the order of the estimates. */
function measuresOf({ window }: LiveTick): Measure[] {
  const rows = window.ratings?.estimates ?? [];
  return rows.filter(
    ({ metric, k }, r) => rows.findIndex((each) => each.metric === metric && each.k === k) === r,
  );
}

function linesOf(view: View, { metric, k }: Measure): Line[] {
  const part = shownPart(view, view.tables.estimates);
  const { aggregation, window } = view.tick.chosen;
  return drawnModels(view).flatMap((model): Line[] => {
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
      lower: of(LEADING, 'lower'),
      upper: of(LEADING, 'upper'),
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
        label: model,
        colour,
        dash: palette().dash(n),
        width: 2.25,
        values: of(LEADING, 'value'),
        band,
      },
    ];
  });
}
