import { verdictFindings } from '../../features/verdicts/verdict-findings.js';
import type { GapReport } from '../../features/why/why.js';
import { type ReadingCounts, readingFindings } from '../../rows/findings/reading.js';
import { windowFindings } from '../../rows/findings/window-findings.js';
import { windowTrust } from '../../rows/findings/window-trust.js';
import type { Snapshot } from '../../stream/snapshot.js';
import { whySection } from '../sections/why.js';
import { windowSections } from '../sections/window-sections.js';
import { firstPage } from './first-page.js';
import { keyFigures } from './key-figures.js';
import { reportPage } from './report-page.js';
import { sectionMarkup } from './section.js';

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
  const sections = windowSections(snapshot, window);
  // Gaps are between numbers, so they stand after the last section of numbers.
  const behindWhy = sections.findIndex(({ name }) => name === 'sensitivity' || name === 'exposure');
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
      ...sections.slice(0, behindWhy).map(sectionMarkup),
      gaps.length === 0 ? null : sectionMarkup(whySection(gaps)),
      ...sections.slice(behindWhy).map(sectionMarkup),
    ],
    foot: 'Written by unskew.',
    environment,
  });
}
