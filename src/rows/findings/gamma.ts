import type { ExponentTest } from '../../estimators/diagnostics/exponent-test.js';
import type { GammaFit, GammaStatus } from '../../estimators/propensity/gamma.js';
import {
  gammaHalfWidth,
  isContradicted,
  isGivenByData,
} from '../../estimators/propensity/gamma-error.js';
import type { WindowEstimates } from '../../estimators/results/window-estimates.js';
import type { PropensityReport, WindowSnapshot } from '../../stream/tick/snapshot.js';
import { decimal } from '../figures.js';
import type { Finding, Words } from './finding.js';
import { say } from './sentence.js';
import { POSITIVES_A_PAIR, SOURCES_APART, UNCERTAIN_GAMMA } from './thresholds.js';

/** What the data say about the γ in use. */
export interface KnownGamma {
  readonly isKnown: boolean;
  /** 95 % interval of γ; both ends are γ if its error is unknown. */
  readonly lower: number;
  readonly upper: number;
  /**
   * β of two sources that contradict each other: of randomised traffic, and of the other source.
   * `deviation` is the distance between them in standard errors. Undefined if no sources contradict
   * each other.
   */
  readonly apart?: {
    readonly randomized: number;
    readonly other: number;
    readonly deviation: number;
  };
}

const Z = 1.96;

/**
 * Determine whether the data support the γ in use, and whether its sources agree.
 *
 * `isGivenByData` says whether γ is known. Randomised traffic confirms a fixed γ if its β̂ has a
 * standard error of at most 0.15 and is within 2 standard errors of the β in use. Sources
 * contradict each other if the β̂ of randomised traffic is more than 2 standard errors from the β
 * in use, or from the β of the exposures.
 */
export function knownGamma(
  { gamma, gammaStdErr, source, auto }: PropensityReport,
  test: WindowSnapshot['exponentTest'],
): KnownGamma {
  const half = gammaHalfWidth({ source, gammaStdErr }, test);
  const found = {
    isKnown: isGivenByData(source, test),
    lower: gamma - half,
    upper: gamma + half,
  };
  if (test === null || !Number.isFinite(test.deviation)) return found;
  const { beta: randomized, used, deviation } = test;
  if (isContradicted(test)) {
    return {
      ...found,
      apart: {
        randomized,
        other: used,
        deviation,
      },
    };
  }
  if (auto?.exposures.status !== 'ok') return found;
  const other = (auto.exposures.split.gamma + 1) / 2;
  const error = (auto.exposures.upper - auto.exposures.lower) / (4 * Z);
  const distance = Math.abs(randomized - other) / Math.hypot(test.stdErr, error);
  return distance > SOURCES_APART
    ? {
        ...found,
        apart: {
          randomized,
          other,
          deviation: distance,
        },
      }
    : found;
}

/** Findings about where γ comes from, and whether the data support it. */
export function gammaFindings(
  propensity: PropensityReport,
  exponentTest: ExponentTest | null,
  counts?: WindowEstimates['counts'],
): Finding[] {
  const found: Finding[] = [originOfGamma(propensity)];
  const { auto, gamma, source } = propensity;
  const isRead = source === 'calibrated' || source === 'fit' || exponentTest !== null;
  if (isRead && counts !== undefined) {
    found.push(...repeatsFinding(counts));
  }
  if (auto !== undefined && gamma > 1) {
    found.push({
      code: 'gamma_above_one',
      severity: 'caution',
      subject: {},
      figures: { gamma },
    });
  }
  if (exponentTest !== null && Number.isFinite(exponentTest.deviation)) {
    const finding = exponentFinding(exponentTest);
    // A calibrated γ agrees with the test by construction, unless it was limited to its bounds.
    if (propensity.source !== 'calibrated' || finding.severity !== 'note') {
      found.push(finding);
    }
  }
  return found;
}

/**
 * Report repeated interactions. If users return to the same items, counts vary more than the fit of
 * γ assumes.
 */
function repeatsFinding({ positives, repeatedPositives }: WindowEstimates['counts']): Finding[] {
  const perPair = (positives + repeatedPositives) / positives;
  if (!(perPair > POSITIVES_A_PAIR)) return [];
  return [
    {
      code: 'gamma_repeats',
      severity: 'caution',
      subject: {},
      figures: { perPair },
    },
  ];
}

function originOfGamma(report: PropensityReport): Finding {
  const { gamma, gammaStdErr, source, fit, fits, auto } = report;
  const all = fits['*'];
  const reason = reasonOf(all);
  const subject = {};
  if (source === 'fit') {
    const figures = {
      gamma,
      stdErr: gammaStdErr,
    };
    return gammaStdErr > UNCERTAIN_GAMMA
      ? {
          code: 'gamma_uncertain',
          severity: 'caution',
          subject,
          figures,
        }
      : {
          code: 'gamma_fitted',
          severity: 'note',
          subject,
          figures,
        };
  }
  if (source === 'calibrated') {
    const figures = {
      gamma,
      stdErr: gammaStdErr,
    };
    return {
      code: 'gamma_calibrated',
      severity: 'note',
      subject,
      figures,
    };
  }
  if (source === 'assumed') {
    // With `gamma: auto`, not only the fit is missing, so its status alone would not explain it.
    const why = auto === undefined ? { reason } : {};
    return {
      code: 'gamma_assumed',
      severity: 'caution',
      subject,
      figures: { gamma },
      ...why,
    };
  }
  if (source === 'last_good') {
    return {
      code: 'gamma_last_good',
      severity: 'caution',
      subject,
      figures: { gamma },
      reason,
    };
  }
  if (gamma === -1) {
    return {
      code: 'gamma_corrects_nothing',
      severity: 'note',
      subject,
      figures: { gamma },
    };
  }
  if (all === undefined || all.status !== 'ok') {
    return {
      code: 'gamma_untested',
      severity: 'note',
      subject,
      figures: { gamma },
      reason,
    };
  }
  const { gamma: fitted, stdErr } = all[fit];
  const deviation = Math.abs(fitted - gamma) / stdErr;
  const figures = {
    gamma,
    fitted,
    stdErr,
    deviation,
  };
  return deviation > SOURCES_APART
    ? {
        code: 'gamma_disagrees',
        severity: 'caution',
        subject,
        figures,
      }
    : {
        code: 'gamma_agrees',
        severity: 'note',
        subject,
        figures,
      };
}

const STATUS_REASONS: Readonly<Record<GammaStatus, string>> = {
  ok: 'the fit is good',
  too_few_levels: 'too few levels of popularity have exposures',
  poor_fit: 'exposures do not follow a power law of popularity',
  stale: 'no more exposures come in',
};

function reasonOf(fit: GammaFit | undefined): string {
  if (fit === undefined || (fit.levels === 0 && fit.status === 'too_few_levels')) {
    return 'no item with earlier interactions was shown';
  }
  return STATUS_REASONS[fit.status];
}

function exponentFinding({ beta, stdErr, used, deviation }: ExponentTest): Finding {
  const figures = {
    beta,
    stdErr,
    used,
    deviation,
  };
  return deviation > SOURCES_APART
    ? {
        code: 'exponent_disagrees',
        severity: 'caution',
        subject: {},
        figures,
      }
    : {
        code: 'exponent_agrees',
        severity: 'note',
        subject: {},
        figures,
      };
}

export const GAMMA_WORDS = {
  gamma_fitted: ({ figures }) =>
    say`γ was fitted to the exposures: ${withError(figures.gamma, figures.stdErr)} (standard error). The intervals allow for that error.`,
  gamma_uncertain: ({ figures }) =>
    say`γ was fitted to the exposures, but only roughly: ${withError(figures.gamma, figures.stdErr)} (standard error). The intervals allow for that error.`,
  gamma_last_good: ({ figures, reason = '' }) =>
    say`γ could not be fitted, because ${reason}. The last good value, ${decimal(figures.gamma, 2)}, is used instead.`,
  gamma_calibrated: ({ figures }) =>
    say`γ was calibrated with randomised traffic: ${withError(figures.gamma, figures.stdErr)} (standard error). The intervals allow for that error.`,
  gamma_assumed: ({ figures, reason }) =>
    reason === undefined
      ? say`Nothing in the log determines γ, so ${decimal(figures.gamma, 2)} is assumed. Compare the estimates at other values, or log some randomised traffic.`
      : say`γ could not be fitted, because ${reason}, so ${decimal(figures.gamma, 2)} is assumed. Compare the estimates at other values, or log some randomised traffic.`,
  gamma_above_one: ({ figures }) =>
    say`γ is ${decimal(figures.gamma, 2)}, and a value above 1 implies that popular items are less relevant than others, which is rarely true. Compare the estimates at γ = 1.`,
  gamma_corrects_nothing: () =>
    say`γ is fixed at −1, so snips and gs do not correct for popularity.`,
  gamma_untested: ({ figures, reason = '' }) =>
    say`γ is fixed at ${decimal(figures.gamma, 2)}, which the exposures cannot confirm, because ${reason}.`,
  gamma_agrees: ({ figures }) => say`${fixedAgainstFit(figures)}, which agrees.`,
  gamma_disagrees: ({ figures }) =>
    say`${fixedAgainstFit(figures)}, ${decimal(figures.deviation, 1)} standard errors away. Compare the estimates at both values.`,
  gamma_repeats: ({ figures }) =>
    say`Users return to the same items: ${decimal(figures.perPair, 1)} positive interactions per user and item. The fit of γ treats them as independent, so γ may be off by more than its standard error.`,
  exponent_agrees: ({ figures }) =>
    say`${exponentAsked(figures)}, which agrees with the ${decimal(figures.used, 2)} in use.`,
  exponent_disagrees: ({ figures }) =>
    say`${exponentAsked(figures)}, ${decimal(figures.deviation, 1)} standard errors from the ${decimal(figures.used, 2)} in use. So snips and gs ${figures.beta < figures.used ? 'overcorrect' : 'undercorrect'} for popularity. Read ure instead.`,
} satisfies Words;

function withError(value: number, stdErr: number): string {
  return `${decimal(value, 2)} ± ${decimal(stdErr, 2)}`;
}

function fixedAgainstFit(f: { gamma: number; fitted: number; stdErr: number }): string {
  return `γ is fixed at ${decimal(f.gamma, 2)}; a fit to the exposures gives ${withError(f.fitted, f.stdErr)}`;
}

function exponentAsked(f: { beta: number; stdErr: number }): string {
  return `Randomised traffic gives a weight exponent β of ${withError(f.beta, f.stdErr)}`;
}
