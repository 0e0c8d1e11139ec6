import type uPlot from 'uplot';
import { middleCut } from '../../rows/words.js';
import type { Palette } from './colours.js';
import type { Line } from './line.js';

const FONT_PX = 12;
const LINE_PX = 15;
const LONGEST = 18;

/** Names at the ends of lines, moved apart where they would cover each other. */
export const endLabels = {
  /** Room that they need to the right of the plot, CSS px. */
  width(lines: readonly Line[]): number {
    const ruler = document.createElement('canvas').getContext('2d')!;
    ruler.font = `${FONT_PX}px system-ui, sans-serif`;
    const widths = lines.map(({ label }) => ruler.measureText(middleCut(label, LONGEST)).width);
    const widest = Math.max(0, ...widths);
    return widest === 0 ? 12 : 18 + Math.ceil(widest);
  },

  draw(plot: uPlot, lines: readonly Line[], colours: Palette): void {
    const scale = devicePixelRatio;
    const placed = lines.flatMap(({ label, values, colour }) => {
      const last = label === '' ? -1 : values.findLastIndex((value) => typeof value === 'number');
      if (last < 0) return [];
      return [
        { label: middleCut(label, LONGEST), colour, y: plot.valToPos(values[last]!, 'y', true) },
      ];
    });
    const { left, width, top, height } = plot.bbox;
    spread(placed, LINE_PX * scale, top, top + height);
    const { ctx } = plot;
    ctx.save();
    ctx.font = `${FONT_PX * scale}px system-ui, sans-serif`;
    ctx.textAlign = 'left';
    ctx.textBaseline = 'middle';
    const x = left + width + 5 * scale;
    for (const { label, colour, y } of placed) {
      ctx.fillStyle = colour;
      ctx.fillRect(x, y - 1.5 * scale, 6 * scale, 3 * scale);
      ctx.fillStyle = colours.ink;
      ctx.fillText(label, x + 9 * scale, y);
    }
    ctx.restore();
  },
};

/** Keeps the order, and the middle as near as it goes to where the lines end. */
function spread(labels: { y: number }[], gap: number, top: number, bottom: number): void {
  labels.sort((a, b) => a.y - b.y);
  for (let n = 1; n < labels.length; n++) {
    labels[n].y = Math.max(labels[n].y, labels[n - 1].y + gap);
  }
  let floor = bottom;
  for (let n = labels.length - 1; n >= 0; n--) {
    labels[n].y = Math.max(top, Math.min(labels[n].y, floor));
    floor = labels[n].y - gap;
  }
}
