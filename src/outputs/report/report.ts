import { verdictsOn } from '../../features/findings.js';
import { whole } from '../../rows/figures.js';
import { type ReadingCounts, readingFindings } from '../../rows/findings/reading.js';
import { windowFindings } from '../../rows/findings/window-findings.js';
import { windowTrust } from '../../rows/findings/window-trust.js';
import type { Section } from '../../rows/table.js';
import { clock, day } from '../../rows/times.js';
import { listed } from '../../rows/words.js';
import type { Snapshot } from '../../stream/snapshot.js';
import { windowSections } from '../sections/window-sections.js';
import { firstPage, moreSection } from './first-page.js';
import { keyFigures } from './key-figures.js';
import { html, type Markup, named, type Piece } from './markup.js';
import { reportPage } from './report-page.js';
import { sectionMarkup } from './section.js';

/** Where a report comes from. */
export interface ReportContext {
  /** Name of what is measured. */
  readonly environment?: string | undefined;
  /** What was asked for beside the numbers; one without blocks is left out. */
  readonly answers?: readonly Section[];
  /** What it was made from, by what, and when, ms since the epoch. */
  readonly made?: {
    readonly inputs: readonly string[];
    readonly version: string;
    readonly at: number;
  };
}

/**
 * One window of a snapshot as a page that stands by itself: no script, no other file, no network. One
 * sheet says enough alone; all numbers are an appendix. Names from the events are text wherever they
 * stand.
 */
export function reportHtml(
  snapshot: Snapshot,
  windowIndex: number,
  reading: ReadingCounts,
  { environment, answers = [], made }: ReportContext = {},
): string {
  const window = snapshot.windows[windowIndex];
  const sections = windowSections(snapshot, window);
  const told = {
    verdicts: verdictsOn(snapshot) ?? [],
    trust: windowTrust(snapshot, window, readingFindings(reading, window)),
    findings: windowFindings(snapshot, window, readingFindings(reading, window)),
  };
  // Answers are about numbers, so they stand after the last section of numbers.
  const behind = sections.findIndex(({ name }) => name === 'sensitivity' || name === 'exposure');
  return reportPage({
    title: 'debiased evaluation',
    heading: 'Debiased evaluation',
    tagline: 'Offline metrics of recommender models, plain and corrected for popularity bias.',
    figures: keyFigures(snapshot, window),
    first: [firstPage(snapshot, window, told)],
    sections: [
      moreSection(told),
      ...sections.slice(0, behind).map(sectionMarkup),
      ...answers.filter(({ blocks }) => blocks.length > 0).map(sectionMarkup),
      ...sections.slice(behind).map(sectionMarkup),
    ],
    foot: made === undefined ? 'Written by unskew.' : `Written by unskew ${made.version}.`,
    source: made === undefined ? null : sourceOf(made),
    environment,
  });
}

/** More names of files are counted. */
const MOST_INPUTS = 4;

function sourceOf({ inputs, version, at }: NonNullable<ReportContext['made']>): Markup {
  const rest = inputs.length - MOST_INPUTS;
  const names = [
    ...inputs.slice(0, MOST_INPUTS).map(named),
    ...(rest > 0 ? [`${whole(rest)} more files`] : []),
  ];
  return html`<p class="source">From ${listed<Piece>(names)} · ${day(at)} ${clock(at)} UTC · unskew ${version}</p>
`;
}
