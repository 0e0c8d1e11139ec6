import type { GammaFit, GammaFitName } from '../../propensity/gamma.js';
import type { PropensityReport } from '../snapshot.js';

/** A fit that was good enough to use. */
export interface FittedGamma {
  readonly gamma: number;
  readonly stdErr: number;
}

/**
 * Which γ the estimators use: the configured one; else this tick's fit where its status is `ok`,
 * else the last that was, else the default. A function of the ticks so far, so of the log.
 */
export class GammaChoice {
  readonly #use: number | 'fit';
  readonly #default: number;
  readonly #fit: GammaFitName;
  #lastGood: FittedGamma | undefined;

  constructor(use: number | 'fit', fallback: number, fit: GammaFitName) {
    this.#use = use;
    this.#default = fallback;
    this.#fit = fit;
  }

  /** The last fit that was `ok`; undefined before the first. */
  get lastGood(): FittedGamma | undefined {
    return this.#lastGood;
  }

  /** Goes on from ticks that another process made. */
  resume(lastGood: FittedGamma | undefined): void {
    this.#lastGood = lastGood;
  }

  /** @param fits per model, and under `*` for all models together. */
  report(fits: Readonly<Record<string, GammaFit>>): PropensityReport {
    const all = fits['*'];
    const { gamma: fitted, stdErr: error } = all[this.#fit];
    // The status is that of the line; the Poisson fit of the same levels may still have no maximum.
    const good = all.status === 'ok' && Number.isFinite(fitted) && Number.isFinite(error);
    const had = this.#lastGood;
    if (good) this.#lastGood = { gamma: fitted, stdErr: error };
    const { gamma, stdErr, source } = this.#choose(good);
    const stale = had !== undefined && all.levels === 0;
    return {
      gamma,
      gammaStdErr: stdErr,
      beta: (gamma + 1) / 2,
      source,
      fit: this.#fit,
      fits: stale ? { ...fits, '*': { ...all, status: 'stale' } } : fits,
    };
  }

  #choose(good: boolean): FittedGamma & Pick<PropensityReport, 'source'> {
    if (this.#use !== 'fit') return { gamma: this.#use, stdErr: 0, source: 'fixed' };
    if (this.#lastGood === undefined) return { gamma: this.#default, stdErr: 0, source: 'default' };
    return { ...this.#lastGood, source: good ? 'fit' : 'last_good' };
  }
}
