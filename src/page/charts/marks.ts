import type uPlot from 'uplot';
import { make } from '../element.js';
import type { Palette } from './colours.js';
import { isHappening, type Mark } from './mark.js';

/** Label that describes the stored marks at the cursor, next to their line. */
export class MarkLabel {
  readonly #node = make('p', 'mark-label');

  /** Move the label to a recreated plot. */
  placeIn({ over }: uPlot): void {
    this.#node.hidden = true;
    over.append(this.#node);
  }

  /** Show the label. @param marks marks at the cursor */
  show(plot: uPlot, marks: readonly Mark[]): void {
    const happened = marks.filter(isHappening);
    this.#node.hidden = happened.length === 0;
    const [first] = happened;
    if (first === undefined) return;
    const text = happened.map((mark) => mark.text).join(' · ');
    if (this.#node.textContent !== text) {
      this.#node.textContent = text;
    }
    const left = plot.valToPos(first.at / 1000, 'x');
    // On the side with more room.
    const isRight = left < plot.over.clientWidth / 2;
    Object.assign(this.#node.style, {
      left: isRight ? `${left + 4}px` : '',
      right: isRight ? '' : `${plot.over.clientWidth - left + 4}px`,
    });
  }

  hide(): void {
    this.#node.hidden = true;
  }
}

/** Distance between pointer and line within which the label is shown, px. */
const NEAR_PX = 6;
/**
 * An alarm or a change of γ's source counts as at the cursor if its time differs from that of the
 * point at the cursor by less than this, s.
 */
const NEAR_SECONDS = 90;

/**
 * Find the marks at the cursor. A stored mark counts if it is under the pointer, or if the point at
 * the cursor is the nearest one to it, so that arrow keys reach every mark.
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

/**
 * Draw a line for each mark. An alarm is dashed with a triangle on top, which is hollow if the
 * alarm is suppressed. A change of γ's source is a dashed line, a stored mark a solid one.
 */
export function drawMarks(plot: uPlot, marks: readonly Mark[], colours: Palette): void {
  const { ctx, bbox } = plot;
  const scale = devicePixelRatio;
  ctx.save();
  ctx.lineWidth = scale;
  for (const mark of marks) {
    const { at, kind, isSuppressed } = mark;
    ctx.strokeStyle = kind === 'alarm' ? colours.warn : colours.muted;
    ctx.fillStyle = ctx.strokeStyle;
    const x = plot.valToPos(at / 1000, 'x', true);
    if (x < bbox.left || x > bbox.left + bbox.width) continue;
    ctx.setLineDash(isHappening(mark) ? [] : [3 * scale, 3 * scale]);
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.setLineDash([]);
    if (kind !== 'alarm') continue;
    ctx.beginPath();
    ctx.moveTo(x - 5 * scale, bbox.top - 8 * scale);
    ctx.lineTo(x + 5 * scale, bbox.top - 8 * scale);
    ctx.lineTo(x, bbox.top);
    ctx.closePath();
    if (isSuppressed) {
      ctx.stroke();
    } else {
      ctx.fill();
    }
  }
  ctx.restore();
}
