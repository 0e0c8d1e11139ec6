import type { LiveTick } from '../outputs/http/schema/live-tick.js';
import { isKnown } from '../rows/figures.js';
import { namesIn } from './model-order.js';
import { type View, withBaseline } from './view.js';

/** A row of the first table of the page. */
export type Standing = LiveTick['opening']['rows'][number];

/**
 * The models that are not hidden, pinned ones first, then the best. One that is hidden from nobody and has
 * no number yet has a row, so that it can be seen that it is there.
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
