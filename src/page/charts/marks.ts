import type uPlot from 'uplot';
import type { Palette } from './colours.js';
import { isHappening, type Mark } from './mark.js';

/**
 * A line for each moment, with a triangle on top for an alarm; those that wake nobody are hollow. A
 * change of γ's source is a line alone, and so is what happened beside the numbers, solid and thin.
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
    if (isSuppressed) ctx.stroke();
    else ctx.fill();
  }
  ctx.restore();
}
