import type { LiveTick } from '../outputs/http/schema/live-tick.js';
import { isKnown } from '../rows/figures.js';
import { namesIn } from './model-order.js';
import { type View, withBaseline } from './view.js';

/** A row of the page's first table, on one model. */
export type Standing = LiveTick['opening']['rows'][number];

/**
 * Rows of the models that are not hidden: the pinned ones first, then the others, best first. A
 * model that has no number yet has an empty row, so that readers can see that it exists.
 */
export function standingsOf(view: View): readonly Standing[] {
  const { rows, columns } = view.tick.opening;
  const pinned = new Set(namesIn(view.choice.pin));
  const shown = withBaseline(view).flatMap((model): Standing[] => {
    const row = rows.find((own) => own.model === model);
    if (row !== undefined) return [row];
    return model === view.tick.baseline ? [] : [emptyRow(model, columns.length)];
  });
  const of = ({ value }: Standing) => (isKnown(value) ? value : Number.NEGATIVE_INFINITY);
  return shown.sort(
    (a, b) =>
      Number(pinned.has(b.model)) - Number(pinned.has(a.model)) ||
      (of(a) === of(b) ? 0 : of(b) - of(a)),
  );
}

/** Whether the service is catching up and has no numbers yet. */
export function isCatchingUp({ wait, tick }: View): boolean {
  return wait !== undefined && tick.opening.rows.every(({ value }) => !isKnown(value));
}

function emptyRow(model: string, columns: number): Standing {
  const cells = Array.from({ length: columns }, () => '–');
  const unknown = {
    value: null,
    lower: null,
    upper: null,
  };
  return {
    ...unknown,
    model,
    size: 0,
    isInVerdict: false,
    cells,
  };
}
