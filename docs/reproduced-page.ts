import type { Row, Table } from '../test/reproduce/table.js';

/** A picture by its file name in docs/reproduced, and the page that shows all of them. */
export interface ReproducedPages {
  readonly page: string;
  readonly pictures: ReadonlyMap<string, string>;
}

/** Places of the columns in a picture, and its room in all. */
const WIDTH = 860;
const PAPER = 400;
const HERE = 505;
const HELD = 510;
const STRIP = 690;
const STRIP_WIDTH = 150;
const HEAD = 34;
const LINE = 20;
/** How many tolerances a strip is wide to either side. */
const REACH = 3;
const STYLE = `
    text { font: 12px system-ui, sans-serif; fill: #1f2328 }
    .head { font-weight: 600 }
    .band { fill: #d0e8d8 }
    .middle { stroke: #8c959f; stroke-width: 1 }
    .ours { fill: #0072b2 }
    .off { fill: #d55e00 }
    .paper { fill: none; stroke: #1f2328; stroke-width: 1.5 }
    @media (prefers-color-scheme: dark) {
      text { fill: #e6edf3 }
      .band { fill: #1f4a33 }
      .ours { fill: #56b4e9 }
      .paper { stroke: #e6edf3 }
    }`;

/** What `npm run reproduce -- --save` kept, as a page with a picture for each table. */
export function reproducedPages(
  saved: Readonly<Record<string, readonly Table[]>>,
): ReproducedPages {
  const pictures = new Map<string, string>();
  const sections = Object.entries(saved).flatMap(([name, tables]) =>
    tables.map((table, t) => {
      const file = tables.length === 1 ? `${name}.svg` : `${name}-${t + 1}.svg`;
      pictures.set(file, pictureOf(table));
      const note = table.note === undefined ? '' : `\n${table.note.replaceAll('\n', ' ')}\n`;
      return `## ${table.title}\n\n![${inWords(table)}](reproduced/${file})\n${note}`;
    }),
  );
  const rows = Object.values(saved).flatMap((tables) => tables.flatMap((table) => table.rows));
  const head = `# What is reproduced

For those who ask whether the estimators are right: the papers' numbers beside ours, from \`npm run reproduce\`. ${countOf(rows)}.

A dot is our number, a ring the paper's. The green band is the tolerance around the expected value: the paper's number, what follows from its design, another implementation, or, where a note says so, our own earlier number.
`;
  return { page: [head, ...sections].join('\n'), pictures };
}

function countOf(rows: readonly Row[]): string {
  const held = rows.filter(({ heldTo }) => heldTo !== '–');
  const within = held.filter(({ isOk }) => isOk).length;
  return `${within} of ${held.length} within tolerance`;
}

/** For those who do not see it. */
function inWords({ rows }: Table): string {
  const off = rows.filter(({ isOk, heldTo }) => !isOk && heldTo !== '–').map(({ what }) => what);
  const text = off.length === 0 ? '' : `; off: ${off.join(', ')}`;
  return `${countOf(rows)}${text}`;
}

function pictureOf({ title, rows }: Table): string {
  const height = HEAD + LINE * rows.length + 10;
  const lines = rows.map((row, r) => lineOf(row, HEAD + LINE * r));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${escaped(title)}">
  <style>${STYLE}
  </style>
  <text class="head" x="${PAPER}" y="20" text-anchor="end">paper</text>
  <text class="head" x="${HERE}" y="20" text-anchor="end">here</text>
  <text class="head" x="${HELD + 14}" y="20">held to</text>${lines.join('')}
</svg>
`;
}

function lineOf({ what, paper, ours, heldTo, isOk }: Row, top: number): string {
  const y = top + 13;
  const text = `
  <text x="8" y="${y}">${escaped(what)}</text>
  <text x="${PAPER}" y="${y}" text-anchor="end">${escaped(paper)}</text>
  <text x="${HERE}" y="${y}" text-anchor="end">${escaped(ours)}</text>
  <text x="${HELD + 14}" y="${y}">${escaped(heldTo)}</text>`;
  const held = bandOf(heldTo);
  if (held === undefined) return text;
  const { expected, tolerance } = held;
  const middle = STRIP + STRIP_WIDTH / 2;
  const unit = STRIP_WIDTH / 2 / REACH;
  const x = (value: number) => {
    const steps = (value - expected) / tolerance;
    return px(middle + unit * Math.max(-REACH, Math.min(REACH, steps)));
  };
  const printed = numberOf(paper);
  const ring =
    printed === undefined
      ? ''
      : `\n  <circle class="paper" cx="${x(printed)}" cy="${top + 9}" r="5"/>`;
  const dot = numberOf(ours);
  return `${text}
  <rect class="band" x="${px(middle - unit)}" y="${top + 2}" width="${px(2 * unit)}" height="14"/>
  <path class="middle" d="M${px(middle)} ${top + 1}V${top + 17}"/>${ring}${
    dot === undefined
      ? ''
      : `\n  <circle class="${isOk ? 'ours' : 'off'}" cx="${x(dot)}" cy="${top + 9}" r="3.5"/>`
  }`;
}

/** Of `1.0955 ± 0.002`; undefined where it is held to something else, or to no width. */
function bandOf(heldTo: string): { expected: number; tolerance: number } | undefined {
  const [expected, tolerance] = heldTo.split(' ± ').map(Number);
  return tolerance > 0 && Number.isFinite(expected) ? { expected, tolerance } : undefined;
}

function numberOf(text: string): number | undefined {
  const value = Number(text.replace('−', '-').replace(/%$/, ''));
  return text.trim() === '' || !Number.isFinite(value) ? undefined : value;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

function px(value: number): string {
  return value.toFixed(1).replace(/\.0$/, '');
}
