import type uPlot from 'uplot';
import { isHappening, type Mark } from './charts/mark.js';

/** Beside a line by as much is on it. */
const NEAR_PX = 6;
/** What the numbers say was said of their pane. */
const NEAR_SECONDS = 90;

/**
 * The marks that the cursor is at: of what happened those under the pointer, and those that the
 * point at the cursor is the nearest one to, so that arrow keys come by each.
 */
export function marksAt(plot: uPlot, marks: readonly Mark[], index: number): Mark[] {
  const point = plot.data[0][index];
  const left = plot.cursor.left ?? Number.NEGATIVE_INFINITY;
  return marks.filter((mark) => {
    const at = mark.at / 1000;
    if (!isHappening(mark)) return point !== undefined && Math.abs(at - point) < NEAR_SECONDS;
    if (!isShown(plot, at)) return false;
    const place = plot.valToPos(at, 'x');
    return Math.abs(place - left) <= NEAR_PX || plot.posToIdx(place) === index;
  });
}

function isShown({ scales }: uPlot, at: number): boolean {
  const { min, max } = scales['x']!;
  return at >= (min ?? Number.POSITIVE_INFINITY) && at <= (max ?? Number.NEGATIVE_INFINITY);
}
