import { html, type Markup, type Piece } from './markup.js';

/** A table that scrolls sideways where it does not fit, by keyboard too. */
export function table(
  caption: string,
  head: readonly Piece[],
  rows: readonly { readonly heading: Piece; readonly cells: readonly Piece[] }[],
  kind: 'plain' | 'wide' | 'words' = 'plain',
): Markup {
  return html`<div class="box" role="region" aria-label="${caption}" tabindex="0"><table class="${kind}">
<caption>${caption}</caption>
<thead><tr>${head.map((cell) => html`<th scope="col">${cell}</th>`)}</tr></thead>
<tbody>
${rows.map(
  ({ heading, cells }) =>
    html`<tr><th scope="row">${heading}</th>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>
`,
)}</tbody></table></div>
`;
}

/** What is there for those who ask: folded on screen, whole on paper. */
export function folded(summary: string, content: Markup): Markup {
  return html`<details><summary>${summary}</summary>
${content}</details>
`;
}
