import type { Snapshot } from '../stream/snapshot.js';
import { reportPage } from './report-page.js';
import { controlSection } from './sections/control-section.js';
import type { ReportedReading } from './sections/coverage-findings.js';
import { differencesSection } from './sections/differences-section.js';
import { drawnSection } from './sections/drawn-section.js';
import { estimatesSection } from './sections/estimates-section.js';
import { exposureSection } from './sections/exposure-section.js';
import { rankingSection } from './sections/ranking-section.js';
import { findingsSection, keyFigures } from './sections/summary-section.js';
import { weightsSection } from './sections/weights-section.js';

/**
 * One window of a snapshot as a page that stands by itself: no script, no other file, no network.
 * Names from the events are text wherever they stand.
 */
export function reportHtml(
  snapshot: Snapshot,
  windowIndex: number,
  reading: ReportedReading,
): string {
  const window = snapshot.windows[windowIndex];
  return reportPage({
    title: 'debiased evaluation',
    heading: 'Debiased evaluation',
    tagline: 'Offline metrics of recommender models, plain and corrected for popularity bias.',
    figures: keyFigures(snapshot, window),
    sections: [
      findingsSection(snapshot, window, reading),
      rankingSection(window),
      estimatesSection(snapshot, window),
      differencesSection(snapshot, window),
      exposureSection(snapshot),
      weightsSection(window),
      drawnSection(window),
      controlSection(window),
    ],
    foot: 'Written by unskew.',
  });
}
