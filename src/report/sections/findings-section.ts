import type { Finding } from '../../findings/finding.js';
import { SEVERITY_WORDS, sentenceOf } from '../../findings/words.js';
import { html, type Markup, named } from '../markup.js';

/** Findings in plain words, the gravest first; nothing where there are none. */
export function findingsSection(title: string, findings: readonly Finding[]): Markup | null {
  if (findings.length === 0) return null;
  return html`<section aria-labelledby="findings">
<h2 id="findings">${title}</h2>
<ul class="findings">
${findings.map(
  (finding) =>
    html`<li class="${finding.severity}"><b>${SEVERITY_WORDS[finding.severity]}</b> <span>${findingMarkup(finding)}</span></li>
`,
)}</ul>
</section>
`;
}

/** Which model is better; nothing where there is nothing to compare. */
export function verdictSection(verdicts: readonly Finding[]): Markup | null {
  if (verdicts.length === 0) return null;
  return html`<section aria-labelledby="verdict">
<h2 id="verdict">Which model is better?</h2>
${verdicts.map(
  (verdict) => html`<p class="lead">${findingMarkup(verdict)}</p>
`,
)}</section>
`;
}

/** The sentence of a finding; names stand apart. */
export function findingMarkup(finding: Finding): Markup {
  const parts = sentenceOf(finding).map((part) => {
    if (typeof part === 'string') return part;
    return 'name' in part ? named(part.name) : html`<b>${part.strong}</b>`;
  });
  return html`${parts}`;
}
