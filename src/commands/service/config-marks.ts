import { setTimeout as sleep } from 'node:timers/promises';
import {
  LONGEST_MARK_TEXT,
  type MarkStore,
  type StatedSettings,
} from '../../outputs/history/marks.js';
import type { Logger } from '../cli/io.js';
import type { MarkBook } from './mark-book.js';

/** What the marks of a start are about, so that several workers make one. */
const ABOUT = 'configuration';
const AGAIN_MS = 10_000;

/**
 * Marks what a start has of another value than the last one had, in one mark.
 *
 * A setting that the last start did not know of, since its version had none, has not changed. While the
 * store is away it asks again: the mark is of the moment of the start whenever it can be kept.
 */
export class ConfigMarks {
  readonly #settings: StatedSettings;
  readonly #marks: MarkBook;
  readonly #store: Pick<MarkStore, 'settings' | 'keepSettings'>;
  readonly #log: Logger;
  readonly #stopping = new AbortController();
  /** The configuration that this one is compared with; undefined if there is none, or it was never learned. */
  readonly before: Promise<StatedSettings | undefined>;
  #learn: (before: StatedSettings | undefined) => void = () => {};

  constructor(
    settings: StatedSettings,
    marks: MarkBook,
    store: Pick<MarkStore, 'settings' | 'keepSettings'>,
    log: Logger,
  ) {
    this.#settings = settings;
    this.#marks = marks;
    this.#store = store;
    this.#log = log;
    this.before = new Promise((resolve) => {
      this.#learn = resolve;
    });
  }

  /** @param now of the start, ms since the epoch @param againMs after a failure @returns what ends it */
  start(now: number, againMs = AGAIN_MS): () => Promise<void> {
    const done = this.#compare(now, againMs);
    return async () => {
      this.#stopping.abort();
      this.#learn(undefined);
      await done;
    };
  }

  async #compare(time: number, againMs: number): Promise<void> {
    const { signal } = this.#stopping;
    for (let tries = 0; !signal.aborted; tries++) {
      try {
        const before = await this.#store.settings();
        this.#learn(before);
        const text = before === undefined ? '' : changeText(before, this.#settings);
        if (text !== '') await this.#marks.add({ time, kind: 'config', text }, ABOUT);
        return await this.#store.keepSettings(this.#settings);
      } catch (error) {
        if (tries === 0) {
          this.#log.warn({ err: error }, 'whether the configuration has changed is not known yet');
        }
      }
      await sleep(againMs, undefined, { signal }).catch(() => {});
    }
  }
}

/**
 * Which settings have other values, in as many words as a mark holds; empty if none has.
 *
 * @example
 * changeText({ 'drift.learn': '24', 'time.tick': '1m' }, { 'drift.learn': '48', 'time.tick': '1m' });
 * // 'drift.learn: 24 → 48'
 */
export function changeText(before: StatedSettings, now: StatedSettings): string {
  const changed = Object.keys(now).filter((name) => name in before && before[name] !== now[name]);
  const told = changed.map((name) => `${name}: ${before[name] ?? 'none'} → ${now[name] ?? 'none'}`);
  const all = told.join('; ');
  if (all.length <= LONGEST_MARK_TEXT) return all;
  let names = changed.join(', ');
  for (let left = changed.length - 1; names.length > LONGEST_MARK_TEXT; left--) {
    names = `${changed.slice(0, left).join(', ')} and ${changed.length - left} more`;
  }
  return names;
}
