import type { GammaFit } from '../propensity/gamma.js';
import type { PropensityReport } from './snapshot.js';

/**
 * Which γ the estimators use: the configured one; else this tick's fit where its status is `ok`,
 * else the last that was, else the default. A function of the ticks so far, so of the log.
 */
export class GammaChoice {
  readonly #use: number | 'fit';
  readonly #default: number;
  #lastGood: number | undefined;

  constructor(use: number | 'fit', fallback: number) {
    this.#use = use;
    this.#default = fallback;
  }

  /** @param fits per model, and under `*` for all models together. */
  report(fits: Readonly<Record<string, GammaFit>>): PropensityReport {
    const all = fits['*'];
    const good = all.status === 'ok';
    const had = this.#lastGood;
    if (good) this.#lastGood = all.ols.gamma;
    const { gamma, source } = this.#choose(good);
    const stale = had !== undefined && all.levels === 0;
    return {
      gamma,
      beta: (gamma + 1) / 2,
      source,
      fits: stale ? { ...fits, '*': { ...all, status: 'stale' } } : fits,
    };
  }

  #choose(good: boolean): Pick<PropensityReport, 'gamma' | 'source'> {
    if (this.#use !== 'fit') return { gamma: this.#use, source: 'fixed' };
    if (this.#lastGood === undefined) return { gamma: this.#default, source: 'default' };
    return { gamma: this.#lastGood, source: good ? 'fit' : 'last_good' };
  }
}
