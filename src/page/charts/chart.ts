import uPlot from 'uplot';
import { withoutTurns } from '../../rows/findings/sentence.js';
import { clockWithSeconds } from '../../rows/times.js';
import { middleCut } from '../../rows/words.js';
import { faded, type Palette, palette } from './colours.js';
import { lonelyPoints } from './lonely-points.js';
import type { Mark } from './mark.js';
import { drawMarks, MarkLabel, marksAt } from './marks.js';
import { rangeOf } from './range.js';
import type { Line } from './series-table.js';

const FONT_PX = 12;
const LINE_PX = 15;
const LONGEST = 18;

const shortLabel = (name: string) => middleCut(withoutTurns(name), LONGEST);

/** uPlot plugin that labels the lines at their ends, without overlaps. */
const endLabels = {
  /** Width that the labels need to the right of the plot, CSS px. */
  width(lines: readonly Line[]): number {
    const ruler = document.createElement('canvas').getContext('2d')!;
    ruler.font = `${FONT_PX}px system-ui, sans-serif`;
    const widths = lines.map(({ label }) => ruler.measureText(shortLabel(label)).width);
    const widest = Math.max(0, ...widths);
    return widest === 0 ? 12 : 18 + Math.ceil(widest);
  },

  draw(plot: uPlot, lines: readonly Line[], colours: Palette): void {
    const scale = devicePixelRatio;
    const placed = lines.flatMap(({ label, values, colour }) => {
      const last = label === '' ? -1 : values.findLastIndex((value) => typeof value === 'number');
      if (last < 0) return [];
      return [
        {
          label: shortLabel(label),
          colour,
          y: plot.valToPos(values[last]!, 'y', true),
        },
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

/** Move overlapping labels apart, in order and as little as possible. */
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

/**
 * Extend the range of an axis by a margin. A very narrow range is widened, so that noise is not
 * magnified.
 */
function padded(low: number, high: number, includes: readonly number[] = []): [number, number] {
  const values = [low, high, ...includes].filter((v) => v !== null && Number.isFinite(v));
  if (values.length === 0) return [0, 1];
  const least = Math.min(...values);
  const most = Math.max(...values);
  const room = Math.max((most - least) * 0.08, Math.abs(most) * 0.01, 1e-6);
  return [least >= 0 ? Math.max(0, least - room) : least - room, most + room];
}

/** Logarithmic scale that ends close to the values, not at powers of ten. */
const LOG_SCALE: uPlot.Scale = {
  time: false,
  distr: 3,
  range: (_, low, high) => (low > 0 ? [low / 1.4, high * 1.4] : [1, 10]),
};

/** Ticks at 1, 2 and 5 of each power of ten. */
const LOG_AXIS: Pick<uPlot.Axis, 'splits' | 'filter'> = {
  splits: (_, __, low, high) => {
    const found: number[] = [];
    for (let power = Math.floor(Math.log10(low)); 10 ** power <= high; power++) {
      for (const step of [1, 2, 5]) {
        found.push(step * 10 ** power);
      }
    }
    return found.filter((split) => split >= low && split <= high);
  },
  filter: (_, splits) => splits,
};

/** Format a tick label; empty for null, which uPlot passes for unlabelled ticks of a log axis. */
function textOf(value: number | null, format: (value: number) => string): string {
  return value === null ? '' : format(value);
}

/** Time formats of uPlot, by the distance between ticks, s. */
const TIME_FORMATS: uPlot.Axis.Values = [
  [86_400, '{MM}-{DD}', null, null, null, null, null, null, 1],
  [3600, '{HH}:{mm}', '\n{MM}-{DD}', null, '\n{MM}-{DD}', null, null, null, 1],
  [60, '{HH}:{mm}', '\n{MM}-{DD}', null, '\n{MM}-{DD}', null, null, null, 1],
  [1, '{HH}:{mm}:{ss}', '\n{MM}-{DD}', null, '\n{MM}-{DD}', null, null, null, 1],
];

export interface ChartOptions {
  readonly x: 'time' | 'linear' | 'log';
  readonly y?: 'linear' | 'log';
  readonly height?: number;
  readonly formatX?: (x: number) => string;
  readonly formatY: (y: number) => string;
  /** Values that the y axis always includes. */
  readonly includes?: readonly number[];
}

const SYNC = uPlot.sync('time');

/** A uPlot chart with labelled lines, marks, a readout, and a cursor that arrow keys move. */
export class Chart {
  readonly #host: HTMLElement;
  readonly #readout: HTMLElement;
  readonly #options: ChartOptions;
  #plot: uPlot | undefined;
  #shape = '';
  #lines: readonly Line[] = [];
  #marks: readonly Mark[] = [];
  readonly #label = new MarkLabel();

  constructor(host: HTMLElement, options: ChartOptions) {
    this.#host = host;
    this.#options = options;
    this.#readout = document.createElement('p');
    this.#readout.className = 'readout';
    host.before(this.#readout);
    host.tabIndex = 0;
    host.setAttribute('role', 'img');
    host.addEventListener('keydown', (event) => this.#onKey(event));
    host.addEventListener('blur', () =>
      this.#plot?.setCursor({
        left: -10,
        top: -10,
      }),
    );
    new ResizeObserver(() => this.#fit()).observe(host);
  }

  /** Draw lines and marks. @param xs ascending; ms if the axis is a time axis. */
  show(xs: readonly number[], lines: readonly Line[], marks: readonly Mark[] = []): void {
    this.#lines = lines;
    this.#marks = marks;
    const x = this.#options.x === 'time' ? xs.map((time) => time / 1000) : [...xs];
    const columns = lines.flatMap(({ values, band }) =>
      band === undefined ? [values] : [band.lower, band.upper, values],
    );
    const data = [x, ...columns] as uPlot.AlignedData;
    const colours = palette();
    const shape = JSON.stringify([
      colours.ground,
      lines.map(({ values: _, band, ...look }) => [look, band !== undefined]),
    ]);
    if (this.#plot === undefined || shape !== this.#shape) {
      this.#plot?.destroy();
      this.#plot = new uPlot(this.#uplotOptions(colours), data, this.#host);
      this.#shape = shape;
      this.#label.placeIn(this.#plot);
    } else {
      this.#plot.setData(data);
    }
    this.#say(null);
  }

  /** Set the description of the chart for screen readers. */
  describe(text: string): void {
    this.#host.setAttribute('aria-label', text);
  }

  #uplotOptions(colours: Palette): uPlot.Options {
    const { x, y, formatX, formatY, includes } = this.#options;
    const axis = {
      stroke: colours.muted,
      grid: {
        stroke: colours.line,
        width: 1,
      },
      ticks: { show: false },
      font: '12px system-ui, sans-serif',
    };
    const series: uPlot.Series[] = [{ value: () => '' }];
    const bands: uPlot.Band[] = [];
    for (const line of this.#lines) {
      if (line.band !== undefined) {
        const edge = {
          stroke: 'transparent',
          width: 0,
          points: { show: false },
        };
        bands.push({
          series: [series.length + 1, series.length],
          fill: faded(line.colour, 0.13),
        });
        series.push(edge, edge);
      }
      series.push(seriesOf(line));
    }
    return {
      width: this.#width(),
      height: this.#options.height ?? 220,
      padding: [10, endLabels.width(this.#lines), 0, 0],
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
      legend: { show: false },
      cursor: {
        y: false,
        drag: {
          x: false,
          y: false,
        },
        points: {
          size: 7,
          width: 2,
        },
        ...(x === 'time'
          ? {
              sync: {
                key: SYNC.key,
                setSeries: false,
              },
            }
          : {}),
      },
      scales: {
        x: x === 'log' ? LOG_SCALE : { time: x === 'time' },
        y:
          y === 'log'
            ? LOG_SCALE
            : {
                range: (_, low, high) => padded(...(rangeOf(this.#lines) ?? [low, high]), includes),
              },
      },
      axes: [
        {
          ...axis,
          grid: { show: false },
          size: x === 'time' ? 38 : 26,
          ...(x === 'log' ? LOG_AXIS : {}),
          ...(x === 'time' ? { values: TIME_FORMATS } : {}),
          ...(formatX === undefined
            ? {}
            : { values: (_: uPlot, splits: number[]) => splits.map((v) => textOf(v, formatX)) }),
        },
        {
          ...axis,
          size: 52,
          ...(y === 'log' ? LOG_AXIS : {}),
          values: (_: uPlot, splits: number[]) => splits.map((v) => textOf(v, formatY)),
        },
      ],
      series,
      bands,
      hooks: {
        draw: [
          (plot) => drawMarks(plot, this.#marks, colours),
          (plot) => endLabels.draw(plot, this.#lines, colours),
        ],
        setCursor: [(plot) => this.#say(plot.cursor.idx ?? null)],
      },
    };
  }

  #say(index: number | null): void {
    const plot = this.#plot;
    if (plot === undefined || index === null) {
      this.#readout.replaceChildren();
      this.#label.hide();
      return;
    }
    const { x, formatX = String, formatY } = this.#options;
    const at = plot.data[0][index];
    if (at === undefined) return;
    const place = x === 'time' ? `${clockWithSeconds(at * 1000)} UTC` : formatX(at);
    const parts = this.#lines.flatMap(({ label, values }) => {
      const value = values[index];
      return label === '' || value === null || value === undefined
        ? []
        : [`${label} ${formatY(value)}`];
    });
    const marks = x === 'time' ? marksAt(plot, this.#marks, index) : [];
    this.#readout.textContent = [place, ...parts, ...marks.map(({ text }) => text)].join(' · ');
    // The cursors of all time charts move together; only the chart that is hovered or focused shows
    // the label.
    if (this.#host.matches(':hover, :focus')) {
      this.#label.show(plot, marks);
    } else {
      this.#label.hide();
    }
  }

  #onKey(event: KeyboardEvent): void {
    const plot = this.#plot;
    const steps: Readonly<Record<string, number>> = {
      ArrowLeft: -1,
      ArrowRight: 1,
    };
    const step = steps[event.key];
    if (plot === undefined || step === undefined) return;
    event.preventDefault();
    const last = plot.data[0].length - 1;
    const now = plot.cursor.idx ?? (step > 0 ? -1 : last + 1);
    const next = Math.min(last, Math.max(0, now + step));
    plot.setCursor({
      left: plot.valToPos(plot.data[0][next], 'x'),
      top: 10,
    });
  }

  #fit(): void {
    const plot = this.#plot;
    if (plot !== undefined && this.#width() !== plot.width) {
      plot.setSize({
        width: this.#width(),
        height: plot.height,
      });
    }
  }

  #width(): number {
    return Math.max(120, this.#host.clientWidth);
  }
}

function seriesOf({ colour, dash = [], width = 2, points = false }: Line): uPlot.Series {
  return {
    stroke: points ? 'transparent' : colour,
    width,
    dash: [...dash],
    // A line must not bridge null values. uPlot still bridges undefined ones.
    spanGaps: false,
    points: points
      ? {
          show: true,
          size: 6,
          fill: colour,
          stroke: colour,
        }
      : {
          show: (plot) => plot.data[0].length < 3,
          size: 5,
          fill: colour,
          stroke: colour,
          filter: (plot, line, isShown) => (isShown ? null : lonelyPoints(plot.data[line])),
        },
  };
}
