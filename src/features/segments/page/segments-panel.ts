import { palette } from '../../../page/charts/colours.js';
import { make } from '../../../page/element.js';
import { meter } from '../../../page/meter.js';
import { modelName } from '../../../page/names.js';
import { type Panel, scrollBox } from '../../../page/panels/panel.js';
import { colourOf, drawnModels, type View } from '../../../page/view.js';
import { between, decimal, isKnown, percent } from '../../../rows/figures.js';
import { metricName } from '../../../rows/words.js';
import { KIND_WORDS } from '../output.js';
import { AskedSegments, type SegmentRow } from './asked-segments.js';

/**
 * Maximum number of charts, one per value of the dimension. The heat map below them has all values.
 */
const MOST_CHARTS = 12;

/**
 * Panel with estimates by segment: a small bar chart per value, and a heat map of values and
 * models.
 */
export const SEGMENTS: Panel = {
  name: 'segments',
  width: 12,
  title: ({ tick, estimator }) => `${metricName(tick.chosen)} by segment, ${estimator}`,
  note: 'Bars show estimates with 95 % intervals on one scale. In the table below, darker means closer to the best model of the row. ★ marks a significant difference from the reference model; – means too few users. Segments that the overall best model loses come first.',
  mount(box) {
    const pick = make('select');
    pick.id = 'choose-dimension';
    box.append(make('div', 'picks', make('label', '', 'Dimension', pick)));
    const charts = make('div', 'multiples');
    box.append(charts);
    const place = scrollBox(box, 'segment-map', 'By segment', 'many');
    const asked = new AskedSegments();
    let view: View | undefined;
    const show = () => {
      if (view === undefined) return;
      const { dimensions } = view.tick.offered;
      box.hidden = dimensions.length === 0;
      if (box.hidden) return;
      if (pick.dataset['shown'] !== dimensions.join('\n')) {
        pick.dataset['shown'] = dimensions.join('\n');
        pick.replaceChildren(...dimensions.map((name) => new Option(name, name)));
      }
      const isThere = dimensions.includes(view.choice.dimension);
      const dimension = isThere ? view.choice.dimension : dimensions[0]!;
      pick.value = dimension;
      asked.follow(view, dimension, show);
      const why = asked.fault || 'No event of this window has a value of this dimension.';
      const models = drawnModels(view);
      const lines = linesOf(asked.rows, models);
      charts.replaceChildren(...multiples(lines, models, view));
      place.replaceChildren(
        lines.length === 0 ? make('p', 'empty', why) : heatMap(dimension, lines, models),
      );
    };
    pick.addEventListener('change', () => view?.choose({ dimension: pick.value }));
    return (shown) => {
      view = shown;
      show();
    };
  },
};

/** A value of the dimension, with the estimate of each model. */
interface Line {
  readonly name: string;
  readonly share: number;
  readonly rows: ReadonlyMap<string, SegmentRow>;
  /**
   * Estimate of the first model minus the best of the others: negative where the first model loses,
   * Infinity if unknown.
   */
  readonly ahead: number;
}

/** Bar charts of the models' estimates, one per value, all on the same scale. */
function multiples(lines: readonly Line[], models: readonly string[], view: View): HTMLElement[] {
  const shown = lines.slice(0, MOST_CHARTS);
  const found = shown.flatMap(({ rows }) => models.flatMap((model) => rows.get(model) ?? []));
  const values = found.flatMap(({ estimate }) => (isKnown(estimate) ? [estimate] : []));
  // The scale ignores intervals, because one wide interval would compress all bars.
  const most = 1.3 * Math.max(1e-9, ...values);
  return shown.map(({ name, share, rows }) => {
    const caption = make('figcaption', '', make('bdi', '', name), ` ${percent(share)}`);
    const bars = models.map((model) => {
      const { estimate: value = null, lower = null, upper = null } = rows.get(model) ?? {};
      const bar = meter(
        {
          value,
          lower,
          upper,
        },
        most,
        palette().of(colourOf(view, model)),
      );
      return make('div', '', modelName(model, models), bar, make('span', '', decimal(value, 3)));
    });
    return make('figure', '', caption, ...bars);
  });
}

function heatMap(
  dimension: string,
  lines: readonly Line[],
  models: readonly string[],
): HTMLTableElement {
  const head = make(
    'tr',
    '',
    headCell(dimension, 'col'),
    headCell('weight', 'col'),
    ...models.map((model) => headCell(modelName(model, models), 'col')),
  );
  const body = make(
    'tbody',
    '',
    ...lines.map(({ name, share, rows: own }) => {
      const best = Math.max(...models.map((model) => own.get(model)?.estimate ?? 0));
      return make(
        'tr',
        '',
        headCell(make('bdi', '', name), 'row'),
        make('td', '', percent(share, 1)),
        ...models.map((model) => cell(own.get(model), best)),
      );
    }),
  );
  return make('table', 'heat', make('thead', '', head), body);
}

function linesOf(rows: readonly SegmentRow[], models: readonly string[]): Line[] {
  const names = new Map<string, SegmentRow[]>();
  for (const row of rows) {
    const name = row.kind === 'value' ? row.value! : KIND_WORDS[row.kind];
    names.set(name, [...(names.get(name) ?? []), row]);
  }
  const [first = '', ...others] = models;
  return [...names]
    .map(([name, own]): Line => {
      const byModel = new Map(own.map((row) => [row.model, row]));
      const value = (model: string) => byModel.get(model)?.estimate ?? Number.NaN;
      const best = Math.max(...others.map(value).filter((each) => !Number.isNaN(each)));
      const ahead = value(first) - best;
      const share = Math.max(...own.map((row) => row.share));
      return {
        name,
        share,
        rows: byModel,
        ahead: Number.isNaN(ahead) ? Infinity : ahead,
      };
    })
    .sort((a, b) => a.ahead - b.ahead || b.share - a.share);
}

/**
 * Cell of the heat map: the value of one model in one segment. The shade repeats the printed value,
 * relative to the best model of the row.
 */
function cell(row: SegmentRow | undefined, best: number): HTMLTableCellElement {
  const value = row?.estimate;
  if (!isKnown(value)) return make('td', '', '–');
  const star = row?.difference?.isFound === true ? ' ★' : '';
  const own = make('td', 'shaded', `${decimal(value, 3)}${star}`);
  own.append(make('small', '', between(row?.lower, row?.upper, 3)));
  own.style.setProperty('--share', best > 0 ? String(Math.max(0, value / best)) : '0');
  return own;
}

function headCell(text: string | Node, scope: 'col' | 'row'): HTMLTableCellElement {
  const own = make('th', '', text);
  own.scope = scope;
  return own;
}
