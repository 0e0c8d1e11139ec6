import { plainText, type Sentence } from '../../rows/findings/sentence.js';
import {
  type Block,
  type Cell,
  type Chart,
  type Mark,
  markedCell,
  type Section,
  spread,
  type Table,
} from '../../rows/table.js';
import { calibrationPlots } from './calibration-plot.js';
import { intervalKey, intervalPlots } from './dot-and-whisker.js';
import { exposurePlot } from './exposure-plot.js';
import { lorenzPlot } from './lorenz-plot.js';
import { html, type Markup, type Piece, sentence } from './markup.js';
import { weightPlot } from './weight-plot.js';

/** Render a section of the report as HTML. Names of models and items are always escaped. */
export function sectionMarkup({ name, title, lead, notes = [], blocks }: Section): Markup {
  return html`<section aria-labelledby="${name}">
<h2 id="${name}">${title}</h2>
${paragraph(lead)}${notes.map(
  (note) => html`<p>${sentence(note)}</p>
`,
)}${intervalKey(blocks.flatMap(({ chart }) => (chart?.kind === 'intervals' ? chart.rows : [])))}${sideBySide(blocks)}</section>
`;
}

/** Render blocks in order. Blocks of half width that follow each other are placed side by side. */
function sideBySide([first, ...rest]: readonly Block[]): Markup[] {
  if (first === undefined) return [];
  if (!first.isHalf) return [blockMarkup(first), ...sideBySide(rest)];
  const next = rest.findIndex(({ isHalf }) => !isHalf);
  const halves = [first, ...rest.slice(0, next < 0 ? rest.length : next)];
  const columns = halves.map((block) => html`<div>${blockMarkup(block)}</div>`);
  return [
    html`<div class="columns">${columns}</div>`,
    ...sideBySide(rest.slice(halves.length - 1)),
  ];
}

function blockMarkup({ title, lead, chart, tables, folded: summary }: Block): Markup {
  const drawn = tables.map(tableMarkup);
  // Collapsed on screen, expanded in print.
  const own =
    summary === undefined || tables.length === 0
      ? drawn
      : html`<details><summary>${summary}</summary>
${drawn}</details>
`;
  const figure =
    chart === undefined ? null : (chartMarkup(chart) ?? paragraph(chart.empty, 'empty'));
  const heading =
    title === undefined
      ? null
      : html`<h3>${sentence(title)}</h3>
`;
  return html`${heading}${paragraph(lead)}${figure}${own}`;
}

function chartMarkup(chart: Chart): Markup | null {
  switch (chart.kind) {
    case 'calibration':
      return calibrationPlots(chart.points);
    case 'bars':
      return weightPlot(chart.points);
    case 'intervals':
      return intervalPlots(chart.rows, chart.baseline);
    case 'exposure':
      return exposurePlot(chart.curve);
    case 'lorenz':
      return lorenzPlot(
        chart.curves.map(({ name, shares }) => ({
          name: sentence([name]),
          shares,
        })),
        chart.of,
      );
  }
}

function paragraph(words: Sentence | undefined, kind = 'lead'): Markup | null {
  return words === undefined || words.length === 0
    ? null
    : html`<p class="${kind}">${sentence(words)}</p>
`;
}

/** Render a table that scrolls sideways if it does not fit; the keyboard can scroll it too. */
export function tableMarkup(own: Table): Markup {
  const { title, columns, lines } = spread(own);
  const caption = markedCell(title).words;
  const isOfWords = columns.slice(1).every(({ kind }) => kind === 'text');
  return html`<div class="box" role="region" aria-label="${plainText(caption)}" tabindex="0"><table class="${isOfWords ? 'words' : 'plain'}">
<caption>${sentence(caption)}</caption>
<thead><tr>${columns.map((column) => html`<th scope="col">${cellMarkup(column.title)}</th>`)}</tr></thead>
<tbody>
${lines.map(
  ([heading, ...cells]) =>
    html`<tr><th scope="row">${cellMarkup(heading)}</th>${cells.map((cell) => html`<td>${cellMarkup(cell)}</td>`)}</tr>
`,
)}</tbody></table></div>
`;
}

const CLASSES: Readonly<Record<Mark, string>> = {
  low: 'low',
  changed: 'changed',
  better: 'up',
  worse: 'down',
};

function cellMarkup(cell: Cell): Piece {
  const { words, mark, notes = [] } = markedCell(cell);
  const own = sentence(words);
  const marked = mark === undefined ? own : html`<span class="${CLASSES[mark]}">${own}</span>`;
  return html`${marked}${notes.map((note) => html`<small>${cellMarkup(note)}</small>`)}`;
}
