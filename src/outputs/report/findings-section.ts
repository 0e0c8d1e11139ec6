import type { Finding } from '../../rows/findings/finding.js';
import { SEVERITY_WORDS, sentenceOf } from '../../rows/findings/words.js';
import { html, type Markup, named, sentence } from './markup.js';

/** Render a section that lists findings in words, most severe first; null without findings. */
export function findingsSection(title: string, findings: readonly Finding[]): Markup | null {
  if (findings.length === 0) return null;
  return html`<section aria-labelledby="findings">
<h2 id="findings">${title}</h2>
<ul class="findings">
${findingItems(findings)}</ul>
</section>
`;
}

export function findingItems(findings: readonly Finding[], nameOf = named): Markup[] {
  return findings.map(
    (finding) =>
      html`<li class="${finding.severity}"><b>${SEVERITY_WORDS[finding.severity]}</b> <span>${findingMarkup(finding, nameOf)}</span></li>
`,
  );
}

/** Render the sentence of a finding as HTML, with names marked up. */
export function findingMarkup(finding: Finding, nameOf = named): Markup {
  return sentence(sentenceOf(finding), nameOf);
}
