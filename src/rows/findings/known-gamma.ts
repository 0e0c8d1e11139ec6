import {
  gammaHalfWidth,
  isContradicted,
  isGivenByData,
} from '../../estimators/propensity/gamma-error.js';
import type { PropensityReport, WindowSnapshot } from '../../stream/snapshot.js';
import { SOURCES_APART } from './thresholds.js';

/** What the data say of the γ in use. */
export interface KnownGamma {
  readonly isKnown: boolean;
  /** 95 % interval of γ; γ itself where nothing tells it. */
  readonly lower: number;
  readonly upper: number;
  /** β of the two sources that contradict each other; undefined where none do. */
  readonly apart?: {
    readonly randomized: number;
    readonly other: number;
    readonly deviation: number;
  };
}

const Z = 1.96;

/**
 * Whether the data tell the γ in use, and whether their sources agree.
 *
 * Known: see `isGivenByData`. Randomised traffic confirms a γ where its β̂ is known to ± .15 and
 * within 2 standard errors. Sources: β̂ of randomised traffic against the β in use, and against that of the
 * exposures, by both errors.
 */
export function knownGamma(
  { gamma, gammaStdErr, source, auto }: PropensityReport,
  test: WindowSnapshot['exponentTest'],
): KnownGamma {
  const half = gammaHalfWidth({ source, gammaStdErr }, test);
  const found = { isKnown: isGivenByData(source, test), lower: gamma - half, upper: gamma + half };
  if (test === null || !Number.isFinite(test.deviation)) return found;
  const { beta: randomized, used, deviation } = test;
  if (isContradicted(test)) return { ...found, apart: { randomized, other: used, deviation } };
  if (auto?.exposures.status !== 'ok') return found;
  const other = (auto.exposures.split.gamma + 1) / 2;
  const error = (auto.exposures.upper - auto.exposures.lower) / (4 * Z);
  const distance = Math.abs(randomized - other) / Math.hypot(test.stdErr, error);
  return distance > SOURCES_APART
    ? { ...found, apart: { randomized, other, deviation: distance } }
    : found;
}
