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
import type { Snapshot, WindowSnapshot } from '../../stream/snapshot.js';
import { windowSections } from '../sections/window-sections.js';
import { firstPage, MOST_REASONS, moreSection, type Told } from './first-page.js';
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
  const told = toldOnce(snapshot, window, readingFindings(reading, window));
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

/** What is said before all numbers; what the verdict or a reason says is not said again. */
function toldOnce(snapshot: Snapshot, window: WindowSnapshot, more: readonly Finding[]): Told {
  const verdicts = verdictsOn(snapshot) ?? [];
  const { reasons, ...trust } = windowTrust(snapshot, window, more);
  const isByCauses = verdicts.some(({ cause }) => cause === 'all_caused' || cause === 'unnamed');
  const isInVerdict = ({ code }: Finding) => isByCauses && code === 'caused_by_lists';
  const all = windowFindings(snapshot, window, more).filter((each) => !isInVerdict(each));
  const own = reasons.filter((each) => !isInVerdict(each));
  const without = (some: readonly Finding[], said: readonly Finding[]) => {
    const texts = new Set(said.map(textOf));
    return some.filter((each) => !texts.has(textOf(each)));
  };
  const first = own.slice(0, MOST_REASONS);
  return {
    verdicts,
    trust: { ...trust, reasons: [...first, ...without(own.slice(MOST_REASONS), all)] },
    findings: without(all, first),
    isInVerdict: reasons.some(isInVerdict),
  };
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
