import {
  ExposureColumns,
  HAS_REQUEST,
  InteractionColumns,
  NAMES_EXPOSURE,
  SHOWN,
} from '../../src/events/columns.js';
import { hashBytes } from '../../src/events/hash.js';
import { Interner } from '../../src/state/ids/interner.js';
import type { StreamIds } from '../../src/stream/ids.js';
import type { MonitorOptions } from '../../src/stream/options.js';

export const MODELS = ['blend', 'personal', 'popular'];

/** Small, fast and seeded: a bench must see the same events each time. */
export function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** Draws an item by a power law over `items`: rank ∝ u^3, so the first 1 % gets a fifth. */
export function powerLawItem(random: () => number, items: number): number {
  return Math.floor(items * random() ** 3);
}

export interface SyntheticLog {
  readonly ids: StreamIds;
  readonly userIds: Interner;
  readonly batches: readonly {
    readonly interactions: InteractionColumns;
    readonly exposures: ExposureColumns;
  }[];
  readonly interactions: number;
  readonly exposures: number;
}

export interface SyntheticLogOptions {
  readonly interactions: number;
  readonly users: number;
  readonly items: number;
  /** A session is one list of each model and this many interactions. */
  readonly interactionsPerSession: number;
  readonly listLength: number;
  readonly spanMs: number;
  /** Users and items in turn, so that each of them occurs. */
  readonly evenly?: boolean;
  /** The lists of a session are a request, of which one is served, each by the same chance. */
  readonly requested?: boolean;
}

/** Users who are on the site at the same time. */
const CONCURRENT_SESSIONS = 500;

interface Session {
  user: number;
  left: number;
  /** Where the list of each model starts in the catalogue. */
  firsts: number[];
  /** The model whose list was served, and the number of that list. */
  served: number;
  list: number;
}

/**
 * Decoded events in event-time order, as the decoder would hand them over, 1,000 interactions a
 * batch: many users at a time, each in a session that begins with the models' lists; every other
 * interaction is with an item of a list, the rest follow popularity.
 */
export function syntheticLog(options: SyntheticLogOptions, seed: number): SyntheticLog {
  const { interactions, users, items } = options;
  const maker = new LogMaker(options, mulberry32(seed));
  const batches = [];
  for (let from = 0; from < interactions; from += 1000) {
    batches.push(maker.batch(from, Math.min(from + 1000, interactions)));
  }
  const models = interned('', 0, MODELS);
  return {
    ids: { items: interned('item', items), models, modelNames: models },
    userIds: interned('user', users),
    batches,
    interactions,
    exposures: maker.exposures,
  };
}

class LogMaker {
  exposures = 0;
  readonly #options: SyntheticLogOptions;
  readonly #random: () => number;
  readonly #sessions: Session[];
  #users = 0;

  constructor(options: SyntheticLogOptions, random: () => number) {
    this.#options = options;
    this.#random = random;
    this.#sessions = Array.from({ length: CONCURRENT_SESSIONS }, () => ({
      user: 0,
      left: 0,
      firsts: [],
      served: 0,
      list: 0,
    }));
  }

  batch(from: number, to: number) {
    const { interactions, spanMs, listLength, items, evenly, requested } = this.#options;
    const rows = new InteractionColumns(1000);
    const lists = new ExposureColumns(256, 256 * listLength);
    for (let n = from; n < to; n++) {
      const ts = Math.floor((n / interactions) * spanMs);
      const session = this.#sessions[n % CONCURRENT_SESSIONS]!;
      if (session.left-- === 0) this.#begin(session, lists, ts);
      const r = rows.length++;
      rows.ts[r] = ts;
      rows.user[r] = session.user;
      rows.item[r] = evenly ? n % items : this.#item(session);
      rows.value[r] = 1;
      // It states none.
      rows.action[r] = -1;
      rows.idHigh[r] = Math.imul(n, 0x85ebca6b);
      rows.idLow[r] = Math.imul(n, 0x27d4eb2f);
      if (requested) this.#cause(session, rows, r);
    }
    return { interactions: rows, exposures: lists };
  }

  #item({ firsts }: Session): number {
    const { items, listLength } = this.#options;
    if (this.#random() < 0.5) return powerLawItem(this.#random, items);
    const first = firsts[Math.floor(this.#random() * MODELS.length)]!;
    return (first + powerLawItem(this.#random, listLength)) % items;
  }

  /** What stands in the list that was served names it. */
  #cause({ firsts, served, list }: Session, rows: InteractionColumns, r: number): void {
    const { items, listLength } = this.#options;
    if ((rows.item[r] - firsts[served]! + items) % items >= listLength) return;
    rows.flags[r] |= NAMES_EXPOSURE;
    rows.exposureHigh[r] = Math.imul(list, 0x9e3779b1);
    rows.exposureLow[r] = Math.imul(list, 0x165667b1);
  }

  #begin(session: Session, lists: ExposureColumns, ts: number): void {
    const { users, items, interactionsPerSession, evenly, requested } = this.#options;
    session.user = evenly ? this.#users++ % users : Math.floor(users * this.#random());
    session.left = interactionsPerSession - 1;
    // A list is a run of the catalogue, so that it has no repeats; its head is popular.
    session.firsts = MODELS.map(() => powerLawItem(this.#random, items));
    // Without a draw: what follows is the same, whether lists are requested or not.
    session.served = (this.exposures / MODELS.length) % MODELS.length;
    session.list = this.exposures + session.served;
    const request = this.exposures;
    for (let model = 0; model < MODELS.length; model++) {
      this.#list(session.user, model, session.firsts[model]!, lists, ts);
      if (!requested) continue;
      const r = lists.length - 1;
      lists.reserveRequest();
      lists.requests.requestHigh[r] = Math.imul(request, 0x9e3779b1);
      lists.requests.requestLow[r] = ~request;
      lists.requests.share[r] = 1 / MODELS.length;
      lists.flags[r] = HAS_REQUEST | (model === session.served ? SHOWN : 0);
    }
  }

  #list(user: number, model: number, first: number, lists: ExposureColumns, ts: number): void {
    const { items, listLength } = this.#options;
    lists.reserve(listLength);
    const r = lists.length++;
    lists.ts[r] = ts;
    lists.user[r] = user;
    lists.model[r] = model;
    lists.idHigh[r] = Math.imul(this.exposures, 0x9e3779b1);
    lists.idLow[r] = Math.imul(this.exposures++, 0x165667b1);
    lists.flags[r] = SHOWN;
    lists.candidates[r] = -1;
    const start = lists.listStart[r];
    for (let k = 0; k < listLength; k++) lists.items[start + k] = (first + k) % items;
    lists.listStart[r + 1] = start + listLength;
  }
}

function interned(prefix: string, count: number, names: readonly string[] = []): Interner {
  const table = new Interner();
  const encoder = new TextEncoder();
  for (let i = 0; i < count + names.length; i++) {
    const bytes = encoder.encode(
      i < count ? `${prefix}${String(i).padStart(8, '0')}` : names[i - count],
    );
    table.intern(bytes, 0, bytes.length, hashBytes(bytes, 0, bytes.length));
  }
  return table;
}

/** The default settings, with windows of the given length. */
export function monitorOptionsOf(windowMs: number, tickMs: number): MonitorOptions {
  return {
    tickMs,
    windows: [{ name: 'window', ms: windowMs }],
    latenessMs: 0,
    dedupeTtlMs: 3_600_000,
    attributionTtlMs: 86_400_000,
    popularity: { horizonMs: 10 * windowMs, of: 'positive' },
    positiveMinValue: 1,
    gamma: { use: 2, fit: 'ols', default: 2, periodMs: windowMs },
    catalogueSize: undefined,
    baseline: 'none',
    maxModels: 16,
    estimates: {
      metrics: ['recall', 'dcg'],
      ks: [5, 10],
      estimators: ['naive', 'snips', 'gs', 'skew', 'wtd_h'],
      interval: 't-logit',
      guarantees: [],
      reference: undefined,
      strata: 5,
      strataScheme: 'popularity-width',
      cold: 'smooth',
      smoothing: 0.5,
      sampleShare: 0.5,
      posteriorExponent: 2,
    },
  };
}
