import type { Finding } from '../../rows/findings/finding.js';
import { ANSWER_WORDS } from '../../rows/findings/reasons.js';
import type { Trust } from '../../rows/findings/window-trust.js';
import type { Snapshot, WindowSnapshot } from '../../stream/snapshot.js';
import { findingItems, findingMarkup } from './findings-section.js';
import { html, type Markup, named, shortNamed } from './markup.js';
import { standingSection } from './standing.js';

/** What is said before all numbers. */
export interface Told {
  readonly verdicts: readonly Finding[];
  readonly trust: Trust;
  readonly findings: readonly Finding[];
}

/** As many sentences as fit on the sheet beside the chart. */
const MOST_VERDICTS = 3;
const MOST_REASONS = 3;
const MOST_FINDINGS = 4;

/**
 * Which model is better, how they stand, and what speaks against it: a sheet that says enough alone.
 * What is left of verdicts and findings comes behind it.
 */
export function firstPage(snapshot: Snapshot, window: WindowSnapshot, told: Told): Markup {
  return html`<div class="first">
${verdictSection(told.verdicts)}${standingSection(snapshot, window, told.findings)}${trustSection(told)}</div>
`;
}

/** Which model is better; nothing where there is nothing to compare. */
function verdictSection(verdicts: readonly Finding[]): Markup | null {
  const [first, ...others] = verdicts;
  if (first === undefined) return null;
  return html`<section aria-labelledby="verdict">
<h2 id="verdict">Which model is better?</h2>
<p class="verdict">${findingMarkup(first, shortNamed)}</p>
${sentences(others.slice(0, MOST_VERDICTS - 1), shortNamed)}${leftOut(verdicts.length - MOST_VERDICTS, ['pair', 'pairs'])}</section>
`;
}

/** Whether the numbers can be trusted and why, and what to know before they are used. */
function trustSection({ trust: { answer, reasons }, findings }: Told): Markup {
  const items = findingItems(findings.slice(0, MOST_FINDINGS), shortNamed);
  return html`<section aria-labelledby="trust">
<h2 id="trust">Can these numbers be trusted?</h2>
<p class="lead"><b>${ANSWER_WORDS[answer]}.</b> ${running(reasons.slice(0, MOST_REASONS), shortNamed)}</p>
${leftOut(reasons.length - MOST_REASONS, ['reason', 'reasons'])}${
  items.length === 0
    ? null
    : html`<h3>Before you use these numbers</h3>
<ul class="findings">
${items}</ul>
${leftOut(findings.length - MOST_FINDINGS, ['caution or note', 'cautions and notes'])}`
}</section>
`;
}

/** What did not fit; nothing where all did. */
export function moreSection({ verdicts, trust, findings }: Told): Markup | null {
  const reasons = trust.reasons.slice(MOST_REASONS);
  const pairs = verdicts.slice(MOST_VERDICTS);
  const items = findingItems(findings.slice(MOST_FINDINGS));
  if (pairs.length + reasons.length + items.length === 0) return null;
  return html`<section aria-labelledby="more">
<h2 id="more">Further pairs, reasons, cautions and notes</h2>
${sentences(pairs)}${reasons.length === 0 ? null : html`<p class="lead">${running(reasons)}</p>`}${
  items.length === 0
    ? null
    : html`<ul class="findings">
${items}</ul>
`
}</section>
`;
}

function running(findings: readonly Finding[], nameOf = named): Markup[] {
  return findings.map((finding) => html`${findingMarkup(finding, nameOf)} `);
}

function sentences(verdicts: readonly Finding[], nameOf = named): Markup[] {
  return verdicts.map(
    (verdict) => html`<p class="lead">${findingMarkup(verdict, nameOf)}</p>
`,
  );
}

function leftOut(count: number, [one, many]: readonly [string, string]): Markup | null {
  if (count <= 0) return null;
  return html`<p class="lead"><a href="#more">${count} more ${count === 1 ? one : many} below</a></p>
`;
}
