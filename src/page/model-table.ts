import { UNCORRECTED } from '../estimators/names.js';
import { between, decimal, isKnown, signedPercent, whole } from '../rows/figures.js';
import { comparedModels } from '../rows/findings/rankings.js';
import { instant } from '../rows/times.js';
import { metricName } from '../rows/words.js';
import { palette } from './charts/colours.js';
import { FAR_WIDER } from './charts/range.js';
import { byId, make, setText } from './element.js';
import { meter, placeIn } from './meter.js';
import { modelName } from './names.js';
import type { ModelColumns } from './panels/panel.js';
import { estimateOf, type Standing, type Standings, whyNone } from './standings.js';
import { colourOf, type View } from './view.js';

/** More models are a press away. */
const AT_ONCE = 8;

/** Every model in one table: its value as a bar with its interval, the uncorrected one, and more columns. */
export class ModelTable {
  readonly #more = byId<HTMLButtonElement>('more-models');
  #isWhole = false;

  constructor(changed: () => void) {
    // What scrolls has to be reached by keyboard.
    byId('standing').tabIndex = 0;
    this.#more.addEventListener('click', () => {
      this.#isWhole = !this.#isWhole;
      changed();
    });
  }

  show(view: View, standings: Standings, columns: readonly ModelColumns[]): void {
    const { rows } = standings;
    const shown = this.#isWhole ? rows : rows.slice(0, AT_ONCE);
    const rest = rows.length - Math.min(rows.length, AT_ONCE);
    this.#more.hidden = rest === 0;
    setText(this.#more, this.#isWhole ? 'Show fewer' : `Show ${whole(rest)} more models`);
    const table = new Lines(view, standings, columns).table(shown);
    byId('standing').replaceChildren(table);
    showKey(view, standings, columns);
  }
}

/** The lines of the table, with what they have in common. */
class Lines {
  readonly #most: number;
  readonly #names: ReadonlyMap<string, Node>;
  readonly #flattered: ReadonlySet<string>;
  readonly #reference: Standing | undefined;

  constructor(
    readonly view: View,
    readonly standings: Standings,
    readonly columns: readonly ModelColumns[],
  ) {
    const { tick, estimator } = view;
    const { rows } = standings;
    this.#most = reachOf(view, standings);
    const models = rows.map(({ model }) => model);
    this.#names = new Map(models.map((model) => [model, modelName(model, models)]));
    const compared = comparedModels(tick.window.estimates, models, estimator);
    this.#flattered = new Set(compared.filter((row) => row.looksBetter).map(({ model }) => model));
    const [first, against] = tick.verdict?.[0]?.subject.models ?? [];
    this.#reference = first === undefined ? undefined : rows.find(({ model }) => model === against);
  }

  table(rows: readonly Standing[]): HTMLTableElement {
    const { standings, view } = this;
    const metric = metricName(view.tick.chosen);
    const against = this.#reference && make('span', '', 'against ', this.#name(this.#reference));
    const titles: (string | Node)[] = [
      'Model',
      standings.title,
      ...(against ? [against] : []),
      ...(standings.isMetric ? [] : [`${metric}, corrected`]),
      'uncorrected',
      ...this.columns.flatMap((own) => own.titles),
    ];
    const head = make('tr', '', ...titles.map((title) => headCell(title, 'col')));
    const body = make('tbody', '', ...rows.map((row) => this.#line(row)));
    const caption = make('caption', 'unseen', `Models by ${standings.title}`);
    return make('table', 'standings', caption, make('thead', '', head), body);
  }

  #line(row: Standing): HTMLTableRowElement {
    const { view, standings } = this;
    const { model } = row;
    const { tick, estimator } = view;
    const isBaseline = model === tick.baseline;
    const name = make(
      'span',
      'model',
      this.#name(row),
      isBaseline ? make('small', '', 'built in') : null,
    );
    const plain = estimateOf(tick, model, UNCORRECTED)?.value;
    const corrected = estimateOf(tick, model, estimator);
    const uncorrected = make(
      'span',
      this.#flattered.has(model) ? 'few' : '',
      isKnown(plain) ? `○ ${decimal(plain, 3)}` : '–',
    );
    if (this.#flattered.has(model)) uncorrected.title = 'Above the interval of the corrected value';
    const cells: (string | Node)[] = [
      ...(this.#reference ? [this.#lift(row)] : []),
      ...(standings.isMetric ? [] : [decimal(corrected?.value, 3)]),
      uncorrected,
      ...this.columns.flatMap((own) => own.cells(model)),
    ];
    const bar = isKnown(row.value)
      ? make('td', 'standing', this.#bar(row))
      : make('td', 'standing none', whyNone(view, standings, model));
    const line = make('tr', '', headCell(name, 'row'), bar);
    line.append(...cells.map((cell) => make('td', '', cell)));
    line.dataset['model'] = model;
    return line;
  }

  #name({ model }: Standing): Node {
    return this.#names.get(model)!.cloneNode(true);
  }

  /** In percent of the model that the first verdict compares with. */
  #lift({ model, value }: Standing): string {
    const { model: reference, value: base } = this.#reference!;
    if (model === reference) return '';
    return isKnown(value) && isKnown(base) && base > 0 ? signedPercent(value / base - 1) : '–';
  }

  #bar(row: Standing): HTMLElement {
    const { model, value, lower, upper } = row;
    const { tick, estimator } = this.view;
    const bar = meter(row, this.#most, palette().of(colourOf(this.view, model)));
    if (this.standings.isMetric) {
      const plain = estimateOf(tick, model, UNCORRECTED)?.value;
      const truth = tick.window.truth.find((row) => row.model === model)?.value;
      for (const [kind, own] of [
        ['plain', estimator === UNCORRECTED ? null : plain],
        ['truth', truth],
      ] as const) {
        if (!isKnown(own)) continue;
        const mark = make('span', kind);
        mark.style.left = placeIn(this.#most, own);
        bar.append(mark);
      }
    }
    const ends = make('small', '', between(lower, upper, 3));
    return make('span', 'bar', bar, make('span', 'figure', decimal(value, 3), ends));
  }
}

/** What the longest bar stands for; an interval that says next to nothing leaves room for the others. */
function reachOf({ tick, estimator }: View, { rows, isMetric }: Standings): number {
  const widths = rows
    .flatMap(({ lower, upper }) => (isKnown(lower) && isKnown(upper) ? [upper - lower] : []))
    .sort((a, b) => a - b);
  const usual = widths[(widths.length - 1) >> 1] ?? 0;
  const held = rows.flatMap(({ model, value, lower, upper }) => [
    value,
    isKnown(lower) && isKnown(upper) && upper - lower <= FAR_WIDER * usual ? upper : null,
    ...(isMetric && estimator !== UNCORRECTED ? [estimateOf(tick, model, UNCORRECTED)?.value] : []),
  ]);
  return 1.02 * Math.max(1e-9, ...held.filter(isKnown));
}

/** What the marks are, and what the numbers are of. */
function showKey(
  { tick, estimator }: View,
  { isMetric }: Standings,
  columns: readonly ModelColumns[],
): void {
  const { window, paneEnd, catalogueSize, chosen } = tick;
  const { users, interactions } = window.counts;
  const to = window.to < paneEnd ? ` until ${instant(window.to)}` : '';
  const marks = isMetric
    ? [
        make('span', 'swatch'),
        `${estimator}, with its 95 % interval `,
        make('span', 'plain'),
        `${UNCORRECTED} `,
        ...(window.truth.length > 0 ? [make('span', 'truth'), 'true, known here '] : []),
      ]
    : [];
  const of = make(
    'span',
    '',
    `Last ${chosen.window}${to} · ${whole(interactions)} pairs of ${whole(users)} users · ${whole(catalogueSize)} items`,
  );
  of.id = 'window-note';
  const notes = columns.map(({ note }) => make('span', 'columns-note', note));
  byId('standing-key').replaceChildren(...marks, of, ...notes);
}

function headCell(text: string | Node, scope: 'col' | 'row'): HTMLTableCellElement {
  const cell = make('th', '', text);
  cell.scope = scope;
  return cell;
}
