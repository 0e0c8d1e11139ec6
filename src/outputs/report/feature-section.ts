import type { Section } from '../../features/output.js';
import { PLOTS } from '../../features/plots.js';
import type { WindowSnapshot } from '../../stream/snapshot.js';
import { html, type Markup, named } from './markup.js';
import { table } from './table.js';

/** What a feature says, as a section of the report. */
export function featureSection(section: Section, window: WindowSnapshot): Markup {
  const { name, title, lead, notes, blocks } = section;
  const plots: Readonly<Record<string, (window: WindowSnapshot) => Markup | null>> = PLOTS;
  return html`<section aria-labelledby="${name}">
<h2 id="${name}">${title}</h2>
<p class="lead">${lead}</p>
${notes.map((note) => html`<p>${note}</p>`)}
${blocks.map(
  (block) => html`${block.title === undefined ? '' : html`<h3>${block.title}</h3>`}
${block.lead === undefined ? '' : html`<p class="lead">${block.lead}</p>`}
${block.plot === undefined ? '' : (plots[block.plot]?.(window) ?? '')}${table(
  block.table.title,
  block.table.head,
  block.table.lines.map(([heading, ...cells]) => ({ heading: named(heading), cells })),
)}`,
)}</section>
`;
}
