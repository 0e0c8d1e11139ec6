import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  LONGEST_MARK_TEXT,
  type Mark,
  type MarkStore,
  type StatedSettings,
} from '../../outputs/history/marks.js';
import type { MarkRoutes } from '../../outputs/http/routes/mark-routes.js';
import type { MarkOrder } from '../../outputs/http/schema/mark.js';
import type { MonitorOptions } from '../../stream/options.js';
import type { Logger } from '../cli/io.js';

/**
 * Subject (`about`) of the mark for a start. All workers of a group report the same change under
 * this subject, so the store keeps only one mark.
 */
const ABOUT = 'configuration';
const AGAIN_MS = 10_000;

/**
 * Adds one mark per start that lists all settings that have changed since the last start.
 *
 * Settings that the last version did not have count as unchanged. The mark is retried while the
 * store is unavailable, and keeps the time of the start.
 */
export class ConfigMarks {
  readonly #stopping = new AbortController();
  /**
   * Configuration of the last start; undefined if none is stored, or the service stops before it is
   * read.
   */
  readonly before: Promise<StatedSettings | undefined>;
  #learn: (before: StatedSettings | undefined) => void = () => {};

  constructor(
    private readonly settings: StatedSettings,
    private readonly marks: MarkBook,
    private readonly store: Pick<MarkStore, 'settings' | 'keepSettings'>,
    private readonly log: Logger,
  ) {
    this.before = new Promise((resolve) => {
      this.#learn = resolve;
    });
  }

  /**
   * Start comparing the settings with those of the last start, and add the mark if they differ.
   * @param now time of the start, ms since the epoch @param againMs delay after a failure, ms
   * @returns function that ends it
   */
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
        const before = await this.store.settings();
        this.#learn(before);
        const text = before === undefined ? '' : changeText(before, this.settings);
        if (text !== '') {
          await this.marks.add(
            {
              time,
              kind: 'config',
              text,
            },
            ABOUT,
          );
        }
        return await this.store.keepSettings(this.settings);
      } catch (error) {
        if (tries === 0) {
          this.log.warn(
            { err: error },
            'cannot read the configuration of the last start, so changed settings are not marked yet; retrying',
          );
        }
      }
      await sleep(againMs, undefined, { signal }).catch(() => {});
    }
  }
}

/**
 * Describe the changed settings, shortened to the maximum length of a mark; empty if none changed.
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

type ModelMark = ReturnType<NonNullable<MonitorOptions['modelMarks']>>[number];

/** Interval between reads of the marks, ms. The shortest allowed pane is as long. */
const EVERY_MS = 1000;

/**
 * Marks that name a model and restart the verdicts on it. They are read in the background, so ticks
 * use the last marks that were read and never wait for the store.
 */
export class ModelMarks {
  #known: readonly ModelMark[] = [];

  constructor(private readonly marks: { all(): Promise<readonly Mark[]> }) {}

  get known(): readonly ModelMark[] {
    return this.#known;
  }

  /** Start reading the marks. @returns function that ends it */
  async start(): Promise<() => Promise<void>> {
    await this.#read();
    let isReading = false;
    const timer = setInterval(async () => {
      // While a read is pending, no other is started.
      if (isReading) return;
      isReading = true;
      await this.#read();
      isReading = false;
    }, EVERY_MS);
    // A pending read is not awaited, since its result is no longer used.
    return async () => clearInterval(timer);
  }

  async #read(): Promise<void> {
    try {
      const marks = await this.marks.all();
      this.#known = marks.flatMap(({ model, time }) =>
        model === undefined ? [] : { model, time },
      );
    } catch {
      // A state of the service reports an unavailable store; the known marks stay.
    }
  }
}

/**
 * Maximum age of cached marks, ms. Every open page requests the marks at each tick; the cache makes
 * that one read of the store.
 */
const FRESH_MS = 1000;

/** Marks of a consumer group, cached for a second. */
export class MarkBook implements MarkRoutes {
  #read:
    | {
        readonly at: number;
        readonly marks: Promise<readonly Mark[]>;
      }
    | undefined;

  constructor(
    private readonly store: Pick<MarkStore, 'all' | 'add'>,
    readonly now: () => number = Date.now,
  ) {}

  /** Read all marks. They are at most a second old and include all marks added by this process. */
  all(): Promise<readonly Mark[]> {
    const now = this.now();
    const known = this.#read;
    if (known !== undefined && Math.abs(now - known.at) < FRESH_MS) return known.marks;
    const read = {
      at: now,
      marks: this.store.all(),
    };
    this.#read = read;
    // The next call reads the store again.
    read.marks.catch(() => {
      if (this.#read === read) {
        this.#read = undefined;
      }
    });
    return read.marks;
  }

  /** Add a mark. @param about see `MarkStore` */
  async add({ time = this.now(), kind, text, model }: MarkOrder, about?: string) {
    const mark = {
      id: randomUUID(),
      time,
      kind,
      text,
      ...(model !== undefined && { model }),
    };
    const outcome = await this.store.add(mark, about);
    this.#read = undefined;
    return { mark, outcome };
  }
}
