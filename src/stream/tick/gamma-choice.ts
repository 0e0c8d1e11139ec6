import type { GammaFit, GammaFitName } from '../../estimators/propensity/gamma.js';
import {
  chosenGamma,
  type SettledGamma,
  settled,
} from '../../estimators/propensity/gamma-source.js';
import type { GammaEvidence, PropensityReport } from './snapshot.js';

/** A usable γ of earlier ticks, with which later ticks continue. */
export interface FittedGamma {
  readonly gamma: number;
  readonly stdErr: number;
  /** State of the choice with `auto`. */
  readonly auto?: AutoState;
}

interface AutoState {
  /** End of the newest ticked pane, event time, ms. */
  readonly paneEnd: number;
  /** The settled γ at the newest tick; `before` is the one at the tick before that. */
  readonly now: SettledGamma;
  readonly before?: SettledGamma;
}

/**
 * Chooses the γ of the estimators. A configured number is used as it is. With `fit`, γ is the
 * latest fit with status `ok`, or the default before the first. With `auto`, γ is determined by
 * `chosenGamma` and `settled`. The choice depends only on the ticks so far, and so only on the log.
 */
export class GammaChoice {
  readonly #use: number | 'fit' | 'auto';
  readonly #default: number;
  readonly #fit: GammaFitName;
  #lastGood: FittedGamma | undefined;
  #auto: AutoState | undefined;

  constructor(use: number | 'fit' | 'auto', fallback: number, fit: GammaFitName) {
    this.#use = use;
    this.#default = fallback;
    this.#fit = fit;
  }

  /** Whether γ is chosen from all evidence in the data (`auto`). */
  get isAuto(): boolean {
    return this.#use === 'auto';
  }

  /** The last fit with status `ok`, or the state of `auto`; undefined before the first. */
  get lastGood(): FittedGamma | undefined {
    if (this.#auto === undefined) return this.#lastGood;
    const { gamma, stdErr } = this.#auto.now.used;
    return {
      gamma,
      stdErr,
      auto: this.#auto,
    };
  }

  /** Continue from the γ that another process stored as `lastGood`. */
  resume(lastGood: FittedGamma | undefined): void {
    // A γ chosen by `auto` may be an assumed one, so the two modes do not continue from each other.
    if (this.isAuto) {
      this.#auto = lastGood?.auto;
    } else if (lastGood?.auto === undefined) {
      this.#lastGood = lastGood;
    }
  }

  /**
   * Choose γ at a tick, and remember it for the next one.
   *
   * @param fits fits by model, and under `*` for all models together.
   * @param evidence evidence for `auto`.
   * @param paneEnd end of the tick's pane, event time, ms.
   */
  report(
    fits: Readonly<Record<string, GammaFit>>,
    evidence?: GammaEvidence,
    paneEnd = Number.POSITIVE_INFINITY,
  ): PropensityReport {
    return evidence === undefined ? this.#fitted(fits) : this.#settled(fits, evidence, paneEnd);
  }

  #settled(
    fits: Readonly<Record<string, GammaFit>>,
    evidence: GammaEvidence,
    paneEnd: number,
  ): PropensityReport {
    const last = this.#auto;
    // After a restart the newest tick is computed again, from the same previous choice.
    const before = last?.paneEnd === paneEnd ? last.before : last?.now;
    const now = settled(before, chosenGamma(evidence, this.#default, before?.used.source));
    this.#auto = {
      paneEnd,
      now,
      ...(before === undefined ? {} : { before }),
    };
    const { gamma, stdErr, source } = now.used;
    const { asking, ticks } = now;
    const waiting =
      asking === undefined
        ? {}
        : {
            asking: {
              source: asking,
              ticks,
            },
          };
    return {
      gamma,
      gammaStdErr: stdErr,
      beta: (gamma + 1) / 2,
      source,
      fit: this.#fit,
      fits,
      auto: {
        ...evidence,
        ...waiting,
      },
    };
  }

  #fitted(fits: Readonly<Record<string, GammaFit>>): PropensityReport {
    const all = fits['*'];
    const { gamma: fitted, stdErr: error } = all[this.#fit];
    // The status is that of the line; the Poisson fit of the same levels may still have no maximum.
    const good = all.status === 'ok' && Number.isFinite(fitted) && Number.isFinite(error);
    const had = this.#lastGood;
    if (good) {
      this.#lastGood = {
        gamma: fitted,
        stdErr: error,
      };
    }
    const { gamma, stdErr, source } = this.#choose(good);
    const stale = had !== undefined && all.levels === 0;
    return {
      gamma,
      gammaStdErr: stdErr,
      beta: (gamma + 1) / 2,
      source,
      fit: this.#fit,
      fits: stale
        ? {
            ...fits,
            '*': {
              ...all,
              status: 'stale',
            },
          }
        : fits,
    };
  }

  #choose(good: boolean): FittedGamma & Pick<PropensityReport, 'source'> {
    if (typeof this.#use === 'number') {
      return {
        gamma: this.#use,
        stdErr: 0,
        source: 'fixed',
      };
    }
    if (this.#lastGood === undefined) {
      return {
        gamma: this.#default,
        stdErr: 0,
        source: 'assumed',
      };
    }
    return {
      ...this.#lastGood,
      source: good ? 'fit' : 'last_good',
    };
  }
}
