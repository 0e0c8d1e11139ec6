import type { Palette } from '../../../page/charts/colours.js';
import { draw } from '../../../page/element.js';
import { decimal, isKnown, whole } from '../../../rows/figures.js';
import { type LinearScale, linearScale } from '../../../rows/scale.js';

const SIZE = 250;
const LEFT = 34;
const BOTTOM = 38;
const EDGE = 10;

/**
 * Mean predicted and actual rating in one of a model's bins, which hold about a fifth of its
 * predictions each.
 */
export interface CalibrationPoint {
  readonly predicted: number | null;
  /** Mean of the ratings given. */
  readonly rated: number | null;
  /** Mean rating corrected by propensities; null without propensities. */
  readonly corrected: number | null;
  readonly rows: number;
}

/**
 * One scale for both axes of all charts. Charts are then comparable, and perfect calibration is the
 * diagonal.
 */
export function calibrationScale(points: readonly CalibrationPoint[]): LinearScale {
  return linearScale(
    points
      .flatMap(({ predicted, rated, corrected }) => [predicted, rated, corrected])
      .filter((each) => isKnown(each)),
  );
}

/**
 * Chart of ratings against predictions. Hollow dots are mean given ratings, filled dots are
 * corrected means, and the diagonal is perfect calibration.
 */
export function calibrationChart(
  model: string,
  points: readonly CalibrationPoint[],
  scale: LinearScale,
  {
    colour,
    colours,
  }: {
    readonly colour: string;
    readonly colours: Palette;
  },
): SVGElement {
  const share = (value: number) => (value - scale.from) / (scale.to - scale.from);
  const x = (value: number) => LEFT + share(value) * (SIZE - LEFT - EDGE);
  const y = (value: number) => SIZE - BOTTOM - share(value) * (SIZE - BOTTOM - EDGE);
  const svg = draw('svg', {
    viewBox: `0 0 ${SIZE} ${SIZE}`,
    role: 'img',
  });
  svg.setAttribute('aria-label', [`Calibration of ${model}`, ...points.map(spoken)].join('; '));
  const from = scale.from;
  const to = scale.to;
  for (const tick of scale.ticks) {
    const label = decimal(tick, scale.digits);
    const above = y(tick);
    const beside = x(tick);
    svg.append(
      draw('line', {
        x1: x(from),
        x2: x(to),
        y1: above,
        y2: above,
        class: 'grid',
      }),
      draw('line', {
        x1: beside,
        x2: beside,
        y1: y(from),
        y2: y(to),
        class: 'grid',
      }),
      draw(
        'text',
        {
          x: LEFT - 6,
          y: above + 4,
          'text-anchor': 'end',
        },
        label,
      ),
      draw(
        'text',
        {
          x: beside,
          y: y(from) + 15,
          'text-anchor': 'middle',
        },
        label,
      ),
    );
  }
  const even = {
    x1: x(from),
    y1: y(from),
    x2: x(to),
    y2: y(to),
    stroke: colours.muted,
  };
  svg.append(
    draw('line', {
      ...even,
      'stroke-dasharray': '2 4',
      class: 'even',
    }),
    draw(
      'text',
      {
        x: (x(from) + x(to)) / 2,
        y: SIZE - 4,
        'text-anchor': 'middle',
      },
      'predicted',
    ),
  );
  const hollow = {
    stroke: colours.muted,
    fill: colours.ground,
    dash: '4 3',
  };
  svg.append(...line(points, 'rated', { x, y }, hollow));
  svg.append(
    ...line(
      points,
      'corrected',
      { x, y },
      {
        stroke: colour,
        fill: colour,
        dash: '',
      },
    ),
  );
  return svg;
}

interface Axes {
  readonly x: (value: number) => number;
  readonly y: (value: number) => number;
}

function line(
  points: readonly CalibrationPoint[],
  kind: 'rated' | 'corrected',
  { x, y }: Axes,
  {
    stroke,
    fill,
    dash,
  }: {
    stroke: string;
    fill: string;
    dash: string;
  },
): SVGElement[] {
  const places = points.flatMap((point) => {
    const value = point[kind];
    if (!isKnown(value) || !isKnown(point.predicted)) return [];
    return [
      {
        point,
        cx: x(point.predicted),
        cy: y(value),
      },
    ];
  });
  if (places.length === 0) return [];
  const path = places.map(({ cx, cy }, p) => `${p === 0 ? 'M' : 'L'}${cx} ${cy}`).join('');
  const joined = draw('path', {
    d: path,
    fill: 'none',
    stroke,
    'stroke-dasharray': dash,
  });
  const dots = places.map(({ point, cx, cy }) =>
    draw(
      'circle',
      {
        cx,
        cy,
        r: 5,
        fill,
        stroke,
        'stroke-width': 2,
        class: kind,
      },
      draw('title', {}, spoken(point)),
    ),
  );
  return [joined, ...dots];
}

function spoken({ predicted, rated, corrected, rows }: CalibrationPoint): string {
  const fixed = isKnown(corrected) ? `, corrected ${decimal(corrected, 2)}` : '';
  return `predicted ${decimal(predicted, 2)}, rated ${decimal(rated, 2)}${fixed}, ${whole(rows)} pairs`;
}
