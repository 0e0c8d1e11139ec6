import { type KeptPanes, keep, newKeptPanes, withPane } from '../drift/kept-panes.js';
import {
  newestCell,
  newRankDetector,
  type RankCell,
  type RankDetectorState,
  rankEValues,
  rankShiryaevRoberts,
} from '../drift/ranks.js';

/** What a pane says of one segment. A segment without an event in the pane has none. */
export interface SegmentReading {
  readonly segment: string;
  readonly value: number;
  /** Effective number of observations behind it. */
  readonly weight: number;
}

/** A segment that was named, until it is as it was or its new level is known. */
interface Latch {
  /** Panes in a row within what was usual before. */
  usual: number;
  /** Panes since the alarm, from which the new level is learned. */
  readonly since: KeptPanes;
}

interface SegmentSeries {
  kept: KeptPanes;
  evidence: RankDetectorState;
  latch: Latch | null;
}

/** All segments of one estimate. Plain numbers, so that it can be stored as it is. */
export type SegmentWatchState = Record<string, SegmentSeries>;

/** One alarm over all segments. */
export interface SegmentAlarm {
  /** The segment with the strongest evidence, and with it those that stand out on their own. */
  readonly segments: readonly string[];
  /** Mean evidence of all segments. */
  readonly evidence: number;
  /** Start of the excursion of the first segment, event time, ms. */
  readonly since: number;
}

export interface SegmentWatchOptions {
  /** A: at least as many panes to a false alarm in the mean, over all segments together. */
  readonly guarantee: number;
}

/** Panes before a segment's ranks say anything. */
const LEARN = 24;
/** Panes in a row that a latched segment has to be as usual. */
const RECOVERED = 3;
/** Ranks further out than this at either end are not usual. */
const OUTER = 0.1;
const NO_SEASON = { slot: 0 };

/**
 * Takes in what a pane says of each segment, and raises at most one alarm for all of them.
 *
 * Each segment has its own e-SR of ranks, SR_λ ← (1 + SR_λ) E_λ; the alarm is where the *mean* of SR
 * over all judged segments reaches A. The mean of e-detectors is one again: at least A panes to a
 * false alarm in the mean, however many segments there are and however they depend on each other,
 * where one threshold a segment would alarm in every fifth pane of 200. It names the segment with the largest SR
 * and, by e-BH at 1/A, further ones: the k largest where the k-th is at least S·A / k.
 * After an alarm all evidence starts again. What was named is latched: left out until three panes in
 * a row rank within the middle 80 % of its panes before, or until 24 panes have shown its new level.
 * **Source**: Shin, Ramdas & Rinaldo 2023, E-detectors (e-SR, mean of e-detectors); Wang & Ramdas
 * 2022, False discovery rate control with e-values (e-BH). The latch is own.
 *
 * @param state changed in place. @param readings each segment at most once.
 * @param pane event time, ms.
 * @returns null without an alarm. O(400) a segment.
 * @example
 * const state = {};
 * const pane = { from: 0, to: 60_000 };
 * watchSegments(state, [{ segment: 'de', value: 0.1, weight: 50 }], pane, { guarantee: 500 }); // null
 */
export function watchSegments(
  state: SegmentWatchState,
  readings: readonly SegmentReading[],
  pane: { readonly from: number; readonly to: number },
  { guarantee }: SegmentWatchOptions,
): SegmentAlarm | null {
  const sinceOf = new Map<string, number>();
  for (const reading of readings) {
    state[reading.segment] ??= {
      kept: newKeptPanes(),
      evidence: newRankDetector(),
      latch: null,
    };
    const own = state[reading.segment];
    if (own.latch === null) observe(own, reading, pane, sinceOf);
    else watchLatched(own, own.latch, reading, pane);
  }
  const judged = Object.entries(state).filter(([, own]) => isJudged(own));
  const scores = judged.map(([segment, own]) => ({ segment, score: meanOf(own.evidence) }));
  const sum = scores.reduce((total, { score }) => total + score, 0);
  if (judged.length === 0 || sum < guarantee * judged.length) return null;
  scores.sort((a, b) => b.score - a.score || (a.segment < b.segment ? -1 : 1));
  const segments = scores.slice(0, standingOut(scores, sum, guarantee)).map((s) => s.segment);
  const alarm = {
    segments,
    evidence: sum / judged.length,
    since: sinceOf.get(segments[0]) ?? pane.from,
  };
  for (const [, own] of judged) own.evidence = newRankDetector();
  for (const segment of segments) state[segment].latch = { usual: 0, since: newKeptPanes() };
  return alarm;
}

const isJudged = ({ kept, latch }: SegmentSeries) => latch === null && kept.value.length > LEARN;

function observe(
  own: SegmentSeries,
  { segment, value, weight }: SegmentReading,
  { from, to }: { readonly from: number; readonly to: number },
  sinceOf: Map<string, number>,
): void {
  keep(own.kept, { value, weight, ...NO_SEASON, from, to }, false);
  if (own.kept.value.length <= LEARN) return;
  const cell = newestCell(own.kept);
  const pane = { eValues: rankEValues(cell), z: sideOf(cell), from };
  sinceOf.set(segment, rankShiryaevRoberts(own.evidence, pane).since);
}

/** −1 to 1: on which side the pane lies, for the size of an excursion. */
const sideOf = ({ below, upTo }: RankCell) => below + upTo - 1;

function watchLatched(
  own: SegmentSeries,
  latch: Latch,
  { value, weight }: SegmentReading,
  { from, to }: { readonly from: number; readonly to: number },
): void {
  const pane = { value, weight, ...NO_SEASON, from, to };
  keep(latch.since, pane, false);
  const { below, upTo } = newestCell(withPane(own.kept, pane, false));
  latch.usual = below < 1 - OUTER && upTo > OUTER ? latch.usual + 1 : 0;
  if (latch.usual >= RECOVERED) own.latch = null;
  else if (latch.since.value.length >= LEARN) {
    own.kept = latch.since;
    own.latch = null;
  }
}

function meanOf({ evidence }: RankDetectorState): number {
  let sum = 0;
  for (const of of evidence) sum += of;
  return sum / evidence.length;
}

/** How many of the largest stand out: e-BH, and at least the first. */
function standingOut(
  scores: readonly { readonly score: number }[],
  sum: number,
  guarantee: number,
): number {
  const least = Math.min(sum, guarantee * scores.length);
  for (let k = scores.length; k > 1; k--) if (scores[k - 1].score >= least / k) return k;
  return 1;
}
