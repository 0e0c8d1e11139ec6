import { verdictsOn } from '../../features/findings.js';
import { type ReadingCounts, readingFindings } from '../../rows/findings/reading.js';
import { windowFindings } from '../../rows/findings/window-findings.js';
import { windowTrust } from '../../rows/findings/window-trust.js';
import type { Section } from '../../rows/table.js';
import type { Snapshot } from '../../stream/snapshot.js';
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
 * @param answers what was asked for beside the numbers; one without blocks is left out.
 */
export function reportHtml(
  snapshot: Snapshot,
  windowIndex: number,
  reading: ReadingCounts,
  environment?: string,
  answers: readonly Section[] = [],
): string {
  const window = snapshot.windows[windowIndex];
  const sections = windowSections(snapshot, window);
  // Answers are about numbers, so they stand after the last section of numbers.
  const behind = sections.findIndex(({ name }) => name === 'sensitivity' || name === 'exposure');
  return reportPage({
    title: 'debiased evaluation',
    heading: 'Debiased evaluation',
    tagline: 'Offline metrics of recommender models, plain and corrected for popularity bias.',
    figures: keyFigures(snapshot, window),
    sections: [
      firstPage(snapshot, window, {
        verdicts: verdictsOn(snapshot) ?? [],
        trust: windowTrust(snapshot, window, readingFindings(reading, window)),
        findings: windowFindings(snapshot, window, readingFindings(reading, window)),
      }),
      ...sections.slice(0, behind).map(sectionMarkup),
      ...answers.filter(({ blocks }) => blocks.length > 0).map(sectionMarkup),
      ...sections.slice(behind).map(sectionMarkup),
    ],
    foot: 'Written by unskew.',
    environment,
  });
}
