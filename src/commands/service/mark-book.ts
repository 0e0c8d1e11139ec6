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
  readonly #stopping = new AbortController();
  /** The configuration that this one is compared with; undefined if there is none, or it was never learned. */
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
          this.log.warn({ err: error }, 'cannot tell yet whether the configuration has changed');
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

type ModelMark = ReturnType<NonNullable<MonitorOptions['modelMarks']>>[number];

/** As soon as ticks can follow each other. */
const EVERY_MS = 1000;

/**
 * Marks that name a model, as verdicts begin again by them. Ticks do not wait for a store: they go by
 * what was read last, which is what was there when the service started, or something newer.
 */
export class ModelMarks {
  #known: readonly ModelMark[] = [];

  constructor(private readonly marks: { all(): Promise<readonly Mark[]> }) {}

  get known(): readonly ModelMark[] {
    return this.#known;
  }

  /** @returns what ends it */
  async start(): Promise<() => Promise<void>> {
    await this.#read();
    let isReading = false;
    const timer = setInterval(async () => {
      // One that does not answer is not asked again meanwhile.
      if (isReading) return;
      isReading = true;
      await this.#read();
      isReading = false;
    }, EVERY_MS);
    // What is under way is not waited for: nothing comes of it any more.
    return async () => clearInterval(timer);
  }

  async #read(): Promise<void> {
    try {
      const marks = await this.marks.all();
      this.#known = marks.flatMap(({ model, time }) =>
        model === undefined ? [] : { model, time },
      );
    } catch {
      // That the store is away is a state of the service; what was known before stays.
    }
  }
}

/** Readers of the page ask with each tick: the store is asked once for all of them. */
const FRESH_MS = 1000;

/** The marks of a group, as its store has them. */
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

  /** Of a second ago at most, but for those that were added here. */
  all(): Promise<readonly Mark[]> {
    const now = this.now();
    const known = this.#read;
    if (known !== undefined && Math.abs(now - known.at) < FRESH_MS) return known.marks;
    const read = {
      at: now,
      marks: this.store.all(),
    };
    this.#read = read;
    // Who asks next asks the store again.
    read.marks.catch(() => {
      if (this.#read === read) {
        this.#read = undefined;
      }
    });
    return read.marks;
  }

  /** @param about see `MarkStore` */
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
