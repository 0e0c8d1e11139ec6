import type { Snapshot, WindowSnapshot } from '../../stream/snapshot.js';
import { day, decimal, percent, span, whole } from '../figures.js';
import { html, type Markup } from '../markup.js';
import { coverageFindings, type ReportedReading } from './coverage-findings.js';
import { gammaFindings } from './gamma-findings.js';
import { sampleFindings, userSampleFindings } from './sample-findings.js';

const SOURCES: Readonly<Record<Snapshot['propensity']['source'], string>> = {
  fixed: 'fixed',
  fit: 'fitted',
  last_good: 'last good fit',
  default: 'default',
};

/** What was evaluated, in a few figures. */
export function keyFigures({ propensity, popularity }: Snapshot, window: WindowSnapshot): Markup {
  const { counts, from, to } = window;
  const figures = [
    ['events of', from === to ? '–' : day(from), span(from, to)],
    ['positive pairs', whole(counts.positives), `of ${whole(counts.interactions)}`],
    ['users', whole(counts.users), `${whole(counts.items)} items`],
    [
      'γ',
      decimal(propensity.gamma, 3),
      `${SOURCES[propensity.source]}; β = ${decimal(propensity.beta, 3)}`,
    ],
    [
      'popularity',
      `Gini ${decimal(popularity.interactions.gini, 3)}`,
      `coverage ${percent(popularity.interactions.coverage)}`,
    ],
  ];
  return html`<dl class="figures">${figures.map(
    ([name, value, note]) =>
      html`<div><dt>${name!}</dt><dd>${value!}<small>${note!}</small></dd></div>`,
  )}</dl>
`;
}

/** Diagnostics in plain words, cautions first. */
export function findingsSection(
  snapshot: Snapshot,
  window: WindowSnapshot,
  reading: ReportedReading,
): Markup {
  const { propensity } = snapshot;
  const found = [
    ...coverageFindings(window, reading),
    ...userSampleFindings(snapshot),
    ...sampleFindings(window),
    ...gammaFindings(propensity, window.exponentTest),
  ];
  const cautions = found.filter(({ severity }) => severity === 'caution');
  const notes = found.filter(({ severity }) => severity === 'note');
  return html`<section aria-labelledby="findings">
<h2 id="findings">Before you use these numbers</h2>
<ul class="findings">
${[...cautions, ...notes].map(
  ({ severity, text }) =>
    html`<li class="${severity}"><b>${severity === 'caution' ? 'Caution' : 'Note'}</b> <span>${text}</span></li>
`,
)}</ul>
</section>
`;
}
