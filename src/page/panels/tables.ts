import { make } from '../element.js';
import { duration, fixed, isKnown, percent, whole } from '../format.js';
import { shownModels, type View } from '../view.js';

type Cell = string | Node;

/** A table whose first column names its rows. */
export function table(
  caption: string,
  titles: readonly string[],
  lines: readonly (readonly Cell[])[],
): HTMLTableElement {
  const head = make('tr', '', ...titles.map((title) => headCell(title, 'col')));
  const body = make('tbody');
  for (const [name, ...cells] of lines) {
    body.append(
      make('tr', '', headCell(name, 'row'), ...cells.map((cell) => make('td', '', cell))),
    );
  }
  return make('table', '', make('caption', 'unseen', caption), make('thead', '', head), body);
}

function headCell(text: Cell, scope: 'col' | 'row'): HTMLTableCellElement {
  const cell = make('th', '', text);
  cell.scope = scope;
  return cell;
}

/** Every estimator of the chosen metric, with its error and its effective users. */
export function numbersTable(view: View): HTMLTableElement {
  const { estimates, truth } = view.tick.window;
  const { estimators } = view.tick.offered;
  const models = [...shownModels(view)];
  const { baseline } = view.tick;
  if (baseline !== null && view.choice.model === '') models.push(baseline);
  const titles = ['Model', ...estimators, ...(truth.length > 0 ? ['true'] : [])];
  const lines = models.map((model): Cell[] => {
    const cells = estimators.map((estimator): Cell => {
      const row = estimates.find((own) => own.model === model && own.estimator === estimator);
      if (row === undefined) return '–';
      const note = `± ${fixed(row.stdErr, 4)} · ${whole(row.ess)} users`;
      const isFew = isKnown(row.ess) && row.ess < 30;
      const small = make('small', isFew ? 'few' : '', isFew ? `${note}, too few` : note);
      return make('span', '', fixed(row.value, 4), small);
    });
    const known = truth.find((row) => row.model === model)?.value;
    return [model, ...cells, ...(truth.length > 0 ? [fixed(known, 4)] : [])];
  });
  return table('Estimates of the chosen metric', titles, lines);
}

/** Weights by their size: what share of the events has them, and what share of the weight is theirs. */
export function weightsTable({ tick }: View): HTMLElement {
  const bins = tick.window.weightDistribution;
  const rows = bins.reduce((sum, bin) => sum + bin.rows, 0);
  if (rows === 0) return make('p', 'empty', 'No event has weight in this window.');
  const lines = bins.map(({ from, rows: own, weightShare }) => [
    `${power(from)}–${power(2 * from)} ×`,
    bar(own / rows, 'plain'),
    bar(weightShare ?? 0, 'strong'),
  ]);
  return table('Importance weights', ['Weight', 'of events', 'of weight'], lines);
}

function power(value: number): string {
  return value >= 1 ? String(value) : `1/${Math.round(1 / value)}`;
}

function bar(share: number, kind: string): HTMLElement {
  const fill = make('span', `fill ${kind}`);
  fill.style.width = `${Math.max(0, Math.min(1, share)) * 100}%`;
  return make(
    'span',
    'bar',
    make('span', 'track', fill),
    make('span', 'figure', percent(share, 1)),
  );
}

/** What became of the events, by topic. */
export function outcomesTable({ tick }: View): HTMLTableElement {
  const lines = tick.quality.topics.map((topic) => {
    const reasons = Object.entries(topic.faults).sort(([, a], [, b]) => b - a);
    const faulty = reasons.reduce((sum, [, count]) => sum + count, 0);
    const why = reasons.map(([reason, count]) => `${reason} ${whole(count)}`).join(', ');
    const faults =
      faulty === 0 ? 'none' : make('span', '', whole(faulty), make('small', 'few', why));
    return [topic.topic, whole(topic.accepted), whole(topic.late), whole(topic.duplicate), faults];
  });
  const titles = ['Topic', 'accepted', 'late', 'duplicate', 'faulty'];
  return table('Events since the service started', titles, lines);
}

/** How far each partition is read. */
export function partitionsTable({ tick }: View): HTMLElement {
  const { topics } = tick.quality;
  const newest = Math.max(
    ...topics.flatMap(({ partitions }) => partitions.map(({ watermark }) => watermark ?? 0)),
  );
  const lines = topics.flatMap(({ topic, partitions }) =>
    partitions.map(({ partition, watermark, lag }) => [
      `${topic} ${partition}`,
      watermark === null ? '–' : new Date(watermark).toISOString().slice(11, 19),
      watermark === null ? '–' : duration(newest - watermark),
      whole(lag),
    ]),
  );
  if (lines.length === 0) return make('p', 'empty', 'No partition is read yet.');
  return table('Partitions', ['Partition', 'newest event', 'behind', 'lag'], lines);
}
