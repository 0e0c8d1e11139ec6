import { onPolicySection } from '../../features/on-policy/section.js';
import { sectionsOf } from '../../features/output.js';
import { OUTPUTS } from '../../features/outputs.js';
import { LEADING_NUMBERS, type LeadingNumbers } from '../../features/values/leading-numbers.js';
import { valuesSection } from '../../features/values/section.js';
import { verdictFindings } from '../../features/verdicts/verdict-findings.js';
import { whySection } from '../../features/why/section.js';
import type { GapReport } from '../../features/why/why.js';
import { type ReadingCounts, readingFindings } from '../../rows/findings/reading.js';
import { windowFindings } from '../../rows/findings/window-findings.js';
import { windowTrust } from '../../rows/findings/window-trust.js';
import { isGiven } from '../../rows/reading.js';
import type { Snapshot, WindowSnapshot } from '../../stream/snapshot.js';
import { controlSection } from './control-section.js';
import { differencesSection } from './differences-section.js';
import { drawnSection } from './drawn-section.js';
import { estimatesSection, uncausedSection } from './estimates-section.js';
import { exposureSection } from './exposure-section.js';
import { featureSection } from './feature-section.js';
import { firstPage } from './first-page.js';
import { keyFigures } from './key-figures.js';
import { rankingSection } from './ranking-section.js';
import { reportPage } from './report-page.js';
import { sensitivitySection } from './trust-section.js';
import { weightsSection } from './weights-section.js';

/**
 * One window of a snapshot as a page that stands by itself: no script, no other file, no network.
 * Names from the events are text wherever they stand.
 *
 * @param environment name of what is measured.
 * @param gaps what is behind the widest ones, where that was asked for.
 */
export function reportHtml(
  snapshot: Snapshot,
  windowIndex: number,
  reading: ReadingCounts,
  environment?: string,
  gaps: readonly GapReport[] = [],
): string {
  const window = snapshot.windows[windowIndex];
  const given = givenOf(window);
  return reportPage({
    title: 'debiased evaluation',
    heading: 'Debiased evaluation',
    tagline: 'Offline metrics of recommender models, plain and corrected for popularity bias.',
    figures: keyFigures(snapshot, window),
    sections: [
      firstPage(snapshot, window, {
        verdicts: verdictFindings(snapshot.verdicts),
        trust: windowTrust(snapshot, window, readingFindings(reading, window)),
        findings: windowFindings(snapshot, window, readingFindings(reading, window)),
      }),
      ...leadingFirst(window.leads, {
        estimates: [rankingSection(given), estimatesSection(snapshot, given)],
        values: [valuesSection(window)],
        uncaused: [uncausedSection(snapshot, window)],
        on_policy: [onPolicySection(window)],
      }),
      ...sectionsOf(OUTPUTS, window).map((section) => featureSection(section, window)),
      differencesSection(snapshot, given),
      whySection(gaps),
      sensitivitySection(window),
      exposureSection(snapshot),
      weightsSection(window),
      drawnSection(window),
      controlSection(window),
    ],
    foot: 'Written by unskew.',
    environment,
  });
}

/** Numbers in their usual order, but those that lead before all others. */
function leadingFirst<T>(
  leads: LeadingNumbers = 'estimates',
  sections: Readonly<Record<LeadingNumbers, readonly T[]>>,
): T[] {
  const others = LEADING_NUMBERS.filter((name) => name !== leads);
  return [leads, ...others].flatMap((name) => sections[name]);
}

/** The window without what is withheld: findings say why it is. */
function givenOf(window: WindowSnapshot): WindowSnapshot {
  return {
    ...window,
    results: window.results.filter(isGiven),
    differences: window.differences.filter(isGiven),
  };
}
