import { verdictsOn } from '../../features/findings.js';
import { whole } from '../../rows/figures.js';
import type { Finding } from '../../rows/findings/finding.js';
import { type ReadingCounts, readingFindings } from '../../rows/findings/reading.js';
import { windowFindings } from '../../rows/findings/window-findings.js';
import { windowTrust } from '../../rows/findings/window-trust.js';
import { textOf } from '../../rows/findings/words.js';
import type { Section } from '../../rows/table.js';
import { clock, day } from '../../rows/times.js';
import { listed } from '../../rows/words.js';
import type { Snapshot, WindowSnapshot } from '../../stream/tick/snapshot.js';
import { openingOf } from '../opening/opening-of.js';
import { windowSections } from '../sections/window-sections.js';
import { firstPage, moreSection, type Told } from './first-page.js';
import { keyFigures } from './key-figures.js';
import { html, type Markup, named, type Piece } from './markup.js';
import { reportPage } from './report-page.js';
import { sectionMarkup } from './section.js';

/** Content of a report in addition to the snapshot. */
export interface ReportContext {
  /** Name of the environment, e.g. production; undefined if none is configured. */
  readonly environment?: string | undefined;
  /** Sections for further questions; a section without blocks is left out. */
  readonly answers?: readonly Section[];
  /** How the report was made: input files, program version, and time in ms since the epoch. */
  readonly made?: {
    readonly inputs: readonly string[];
    readonly version: string;
    readonly at: number;
  };
}

/**
 * Render one window of a snapshot as a self-contained HTML page: no scripts, other files or network
 * access. The first page is complete on its own; all numbers are in an appendix. Names from events
 * are always escaped.
 */
export function reportHtml(
  snapshot: Snapshot,
  windowIndex: number,
  reading: ReadingCounts,
  { environment, answers = [], made }: ReportContext = {},
): string {
  const window = snapshot.windows[windowIndex];
  const sections = windowSections(snapshot, window);
  const told = toldOnce(snapshot, window, readingFindings(reading, window));
  const opening = openingOf(snapshot, window, reading);
  // The additional sections refer to numbers, so they follow the last section with numbers.
  const behind = sections.findIndex(({ name }) => name === 'sensitivity' || name === 'exposure');
  return reportPage({
    title: 'debiased evaluation',
    heading: 'Debiased evaluation',
    tagline:
      'Offline metrics of recommender models, uncorrected and corrected for popularity bias.',
    figures: null,
    first: [firstPage(snapshot, window, opening)],
    sections: [
      keyFigures(snapshot, window),
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

/**
 * Collect verdicts, trust and findings for the report. Findings that are already reasons for the
 * trust are left out.
 */
function toldOnce(snapshot: Snapshot, window: WindowSnapshot, more: readonly Finding[]): Told {
  const trust = windowTrust(snapshot, window, more);
  const said = new Set(trust.reasons.map(textOf));
  const findings = windowFindings(snapshot, window, more).filter((each) => !said.has(textOf(each)));
  return {
    verdicts: verdictsOn(snapshot) ?? [],
    trust,
    findings,
  };
}

/** Maximum number of input files that are named; further ones are only counted. */
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
