/** A model's value by the plain average, by snips, and in truth. */
export interface ModelValues {
  readonly model: string;
  readonly naive: number;
  readonly corrected: number;
  readonly truth: number;
}

const WIDTH = 700;
const HEIGHT = 300;
const LEFT = 200;
const RIGHT = 440;
const TOP = 56;
const BOTTOM = 276;
/** Labels below each other need this much room. */
const LINE = 18;
const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9'];
const STYLE = `
    text { font: 13px system-ui, sans-serif; fill: #1f2328 }
    .head { font-weight: 600 }
    .axis { stroke: #8c959f; stroke-width: 1 }
    .line { stroke-width: 2.5; fill: none }
    .truth { fill: #ffffff; stroke-width: 2 }
    @media (prefers-color-scheme: dark) {
      text { fill: #e6edf3 }
      .truth { fill: #0d1117 }
    }`;

/** The order of models by the plain average, crossing into the corrected one, beside the truth. */
export function picture(models: readonly ModelValues[]): string {
  const most = Math.max(
    ...models.flatMap(({ naive, corrected, truth }) => [naive, corrected, truth]),
  );
  const y = (value: number) => BOTTOM - (value / most) * (BOTTOM - TOP);
  const naive = spread(models.map((each) => y(each.naive)));
  const corrected = spread(models.map((each) => y(each.corrected)));
  const lines = models.map((each, n) => {
    const colour = COLOURS[n % COLOURS.length];
    return `
  <path class="line" stroke="${colour}" d="M${LEFT} ${px(y(each.naive))}L${RIGHT} ${px(y(each.corrected))}"/>
  <circle cx="${LEFT}" cy="${px(y(each.naive))}" r="4" fill="${colour}"/>
  <circle cx="${RIGHT}" cy="${px(y(each.corrected))}" r="4" fill="${colour}"/>
  <circle class="truth" cx="${RIGHT + 16}" cy="${px(y(each.truth))}" r="4" stroke="${colour}"/>
  <text x="${LEFT - 12}" y="${px(naive[n] + 4)}" text-anchor="end">${each.model} ${each.naive.toFixed(3)}</text>
  <text x="${RIGHT + 32}" y="${px(corrected[n] + 4)}">${each.corrected.toFixed(3)} ${each.model} (true ${each.truth.toFixed(3)})</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${inWords(models)}">
  <style>${STYLE}
  </style>
  <text class="head" x="${LEFT}" y="20" text-anchor="end">recall@10, uncorrected</text>
  <text class="head" x="${RIGHT}" y="20">corrected (○ true)</text>
  <path class="axis" d="M${LEFT} ${TOP - 16}V${BOTTOM}M${RIGHT} ${TOP - 16}V${BOTTOM}"/>${lines.join('')}
</svg>
`;
}

function inWords(models: readonly ModelValues[]): string {
  const order = (of: (each: ModelValues) => number) =>
    [...models]
      .sort((a, b) => of(b) - of(a))
      .map(({ model }) => model)
      .join(', ');
  return `Best first, uncorrected: ${order((each) => each.naive)}; corrected: ${order((each) => each.corrected)}; in truth: ${order((each) => each.truth)}.`;
}

/** Heights of labels: where their points are, pushed down where one would cover another. */
function spread(heights: readonly number[]): number[] {
  const placed = [...heights];
  const order = heights.map((_, n) => n).sort((a, b) => heights[a] - heights[b]);
  order.forEach((n, rank) => {
    if (rank > 0) placed[n] = Math.max(placed[n], placed[order[rank - 1]] + LINE);
  });
  return placed;
}

function px(value: number): string {
  return value.toFixed(1).replace(/\.0$/, '');
}
