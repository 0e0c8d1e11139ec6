import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { LineSplitter } from '../../src/adapters/files/line-splitter.js';
import {
  EXPOSURE,
  ExposureColumns,
  HAS_PROPENSITIES,
  HAS_REQUEST,
  INTERACTION,
  InteractionColumns,
  REQUEST,
} from '../../src/events/columns.js';
import { type EventBatch, EventDraft } from '../../src/events/draft.js';
import { LineScanner } from '../../src/events/line-scanner.js';
import { EventParser } from '../../src/events/parse.js';
import { Interner } from '../../src/state/ids/interner.js';
import { mulberry32 } from '../bench/synthetic-log.js';
import { itAtNight } from '../support/at-night.js';
import { mutated } from '../support/mutation.js';
import { IS_LONG, repetitions } from '../support/repetitions.js';

const LATEST_TS = 1_900_000_000_000;
const MAX_BYTES = 900;
/** Ten million mutants in the long form. */
const ROUNDS = repetitions(5, 5_000);
const LINES = 1_000;

/** Reads chunks of lines: by the parser alone, or with a scanner before it. */
class Reading {
  readonly tables;
  /** Reasons of rejected lines, and values of rows, one kind after the other. */
  readonly refused: unknown[][] = [];
  readonly values: number[][] = [[], []];
  taken = 0;
  lines = 0;
  readonly #columns: EventBatch;
  readonly #scanner: LineScanner | undefined;
  readonly #splitter: LineSplitter;

  constructor(isScanned: boolean, tables = newTables()) {
    this.tables = tables;
    const draft = new EventDraft();
    const parser = new EventParser(draft);
    const options = { maxEventBytes: MAX_BYTES, latestTs: LATEST_TS };
    const scanner = isScanned ? new LineScanner(tables, options) : undefined;
    this.#scanner = scanner;
    this.#columns = scanner?.columns ?? {
      interactions: new InteractionColumns(),
      exposures: new ExposureColumns(),
    };
    const taker = scanner && {
      pending: undefined,
      lines: 0,
      load: (chunk: Uint8Array) => {
        // What lies behind a chunk is of another, and says nothing.
        scanner.load(Buffer.concat([chunk, Buffer.from('"}],:9.\\é{["tfn0\n')]));
        scanner.load(chunk);
      },
      take(start: number) {
        taker!.lines = 0;
        for (let at = start; ; this_.clear()) {
          at = scanner.take(at);
          taker!.lines += scanner.lines;
          if (!scanner.isFull) return at;
        }
      },
    };
    const this_ = this;
    this.#splitter = new LineSplitter(
      (bytes, start, end, line) => {
        const code =
          end - start > MAX_BYTES ? 99 : parser.parse(bytes, start, end, 'mixed', LATEST_TS);
        const own = code === 0 ? draft.append(tables, this.#columns) : code;
        this.lines++;
        if (own !== 0) this.refused.push([line, own, code === own ? parser.detail : '']);
        if (scanner?.isFull) this.clear();
      },
      MAX_BYTES,
      taker,
    );
  }

  read(...chunks: readonly Uint8Array[]): void {
    for (const before of [this.refused, ...this.values]) before.length = 0;
    for (const chunk of chunks) {
      for (let at = 0; at < chunk.length; ) at = this.#splitter.scan(chunk, at);
    }
    this.clear();
  }

  clear(): void {
    const { interactions, exposures } = this.#columns;
    const { requests, listStart, items, propensities } = exposures;
    const [rows, lists] = this.values;
    const note = (to: number[], table: object, columns: object, r: number) => {
      for (const name in table) to.push((columns as Record<string, Float64Array>)[name]![r]!);
    };
    for (let r = 0; r < interactions.length; r++) note(rows!, INTERACTION, interactions, r);
    for (let r = 0; r < exposures.length; r++) {
      const flags = exposures.flags[r]!;
      note(lists!, EXPOSURE, exposures, r);
      for (let at = listStart[r]!; at < listStart[r + 1]!; at++) {
        lists!.push(items[at]!, (flags & HAS_PROPENSITIES) === 0 ? 0 : propensities[at]!);
      }
      if ((flags & HAS_REQUEST) !== 0) note(lists!, REQUEST, requests, r);
    }
    interactions.clear();
    exposures.clear();
  }

  forgetIds(): void {
    this.#scanner?.forgetIds();
  }

  get ids(): string[][] {
    return Object.values(this.tables).map((table) =>
      Array.from({ length: table.size }, (_, id) => table.text(id)),
    );
  }
}

const newTables = (most?: number) => ({
  users: new Interner(),
  items: new Interner(most),
  models: new Interner(),
  actions: new Interner(),
});

function bothAgree(scanned: Reading, parsed: Reading, ...chunks: Uint8Array[]): void {
  for (const reading of [scanned, parsed]) reading.read(...chunks);
  expect(scanned.refused).toEqual(parsed.refused);
  for (const [kind, found] of scanned.values.entries()) {
    const expected = parsed.values[kind]!;
    const at = expected.findIndex((value, n) => !Object.is(value, found[n]));
    // A value more or less is at the end.
    if (at < 0 && found.length === expected.length) continue;
    expect(found.slice(Math.max(0, at - 20), at + 20)).toEqual(
      expected.slice(Math.max(0, at - 20), at + 20),
    );
    expect(found).toHaveLength(expected.length);
  }
}

const lines = (...all: (string | object)[]) =>
  Buffer.from(all.map((l) => `${typeof l === 'string' ? l : JSON.stringify(l)}\n`).join(''));

/** Sound events with all that they may say, and spelled in more than one way. */
class RandomEvents {
  constructor(private readonly random: () => number) {}

  line(): Buffer {
    const { random } = this;
    const fields = Object.entries(random() < 0.5 ? this.#exposure() : this.#interaction());
    if (random() < 0.2) fields.sort(() => random() - 0.5);
    const [comma, colon] = random() < 0.3 ? [', ', ': '] : [',', ':'];
    const body = fields.map(([name, value]) => `"${name}"${colon}${this.#spelled(value)}`);
    const ending = ['', '', '', '\r', ' ', '\t\r'][this.#below(6)];
    return Buffer.from(`${random() < 0.02 ? ' ' : ''}{${body.join(comma)}}${ending}`);
  }

  #below(end: number): number {
    return Math.floor(this.random() * end);
  }

  #spelled(value: unknown): string {
    const text = JSON.stringify(value);
    if (typeof value === 'number' && this.random() < 0.05) return `${text}.0`;
    if (typeof value === 'number' && this.random() < 0.02) return `${text}e0`;
    return this.random() < 0.01 ? 'null' : text;
  }

  #id(prefix: string, most: number): string {
    const n = this.#below(most);
    if (n % 9 === 0) return `${prefix}${n.toString(16).padStart(31, 'f00d')}`;
    if (n % 7 === 0) return `${prefix}-é日${'🙂'.repeat(n % 5)}${n}`;
    if (n % 11 === 0) return `${prefix}${'0123456789abcdef'.repeat(n % 3)}${n}`;
    return n % 13 === 0 ? `${prefix}\\"${n}` : `${prefix}${n}`;
  }

  #both() {
    const { random } = this;
    const ts = 1_600_000_000_000 + this.#below(3e11);
    return {
      type: 'interaction',
      id: this.#id('id', 1e6),
      ts: random() < 0.2 ? new Date(ts).toISOString() : ts,
      user: this.#id('u', 3000),
      ...(random() < 0.2 && { randomized: random() < 0.5 }),
      ...(random() < 0.1 && { segments: { country: 'de', other: [1, { a: null }] } }),
      ...(random() < 0.1 && { extra: [random(), -1e5, { x: [true, false, ''] }, 'ü'] }),
    };
  }

  #interaction() {
    const { random } = this;
    return {
      ...this.#both(),
      item: this.#id('i', 500),
      ...(random() < 0.6 && { value: this.#number() }),
      ...(random() < 0.3 && { action: ['view', 'buy', '', 'click'][this.#below(4)] }),
      ...(random() < 0.3 && { exposure: this.#id('e', 1e6) }),
    };
  }

  #exposure() {
    const { random } = this;
    const length = 1 + this.#below(12);
    const items = [...new Set(Array.from({ length }, () => this.#id('i', 500)))];
    return {
      ...this.#both(),
      type: 'exposure',
      model: this.#id('m', 4),
      items,
      ...(random() < 0.3 && { shown: random() < 0.5, sampled: random() < 0.5 }),
      ...(random() < 0.3 && { propensities: items.map(() => this.#chance()) }),
      ...(random() < 0.2 && { scores: items.map(() => this.#number()) }),
      ...(random() < 0.2 && { candidates: items.length + this.#below(3) }),
      ...(random() < 0.2 && {
        request: this.#id('r', 1e6),
        share: this.#chance(),
        depth: 1 + this.#below(9),
        firstRank: this.#below(9),
        propensityOf: ['slot', 'conditional', 'item'][length % 3],
      }),
    };
  }

  #number(): number {
    const { random } = this;
    return [1, 0, -0, 0.5, this.#below(1e9) / 1e4, random() - 0.5, -this.#below(9e15)][
      this.#below(7)
    ]!;
  }

  #chance(): number {
    return [1, 0.25, this.random(), this.random() / 1e4, this.#below(1e6) / 1e6][this.#below(5)]!;
  }
}

describe('the line scanner', () => {
  it(`agrees with the parser on ${ROUNDS * LINES} events, half of them mutated`, () => {
    for (let from = 0; from < ROUNDS; from += 50) {
      const random = mulberry32(from);
      const events = new RandomEvents(random);
      const scanned = new Reading(true);
      const parsed = new Reading(false);
      for (let round = from; round < Math.min(from + 50, ROUNDS); round++) {
        const sound = Array.from({ length: LINES }, () => events.line());
        const all = sound.flatMap((line, n) => {
          const own = random() < 0.5 ? line : mutated(line, sound[LINES - 1 - n]!, random);
          return [own, Buffer.from(random() < 0.01 ? '\n\r\n' : '\n')];
        });
        const whole = Buffer.concat(all);
        const cut = Math.floor(random() * whole.length);
        bothAgree(scanned, parsed, whole.subarray(0, cut), whole.subarray(cut));
        if (random() < 0.1) scanned.forgetIds();
      }
      expect(scanned.ids).toEqual(parsed.ids);
      // The parser is left with the mutants and with what is spelled seldom.
      expect(scanned.lines / parsed.lines).toBeLessThan(0.75);
    }
  }, 3_600_000);

  it('agrees with the parser on every pair of bytes inside an id', () => {
    const scanned = new Reading(true);
    const parsed = new Reading(false);
    const line = lines('{"type":"interaction","id":"a__b","ts":1,"user":"u__","item":"i"}');
    for (let first = 0; first < 256; first++) {
      // In the short form each byte after every sixteenth, and before every sixteenth.
      const all = Array.from({ length: 256 }, (_, second) => {
        if (!IS_LONG && (first + second) % 16 > 0) return [];
        const own = Buffer.from(line);
        for (const at of [29, 46]) {
          own[at] = first;
          own[at + 1] = second;
        }
        return [own];
      }).flat();
      bothAgree(scanned, parsed, Buffer.concat(all));
    }
  });

  it('agrees with the parser on numbers in every spelling in any field', () => {
    const random = mulberry32(5);
    const scanned = new Reading(true);
    const parsed = new Reading(false);
    const below = (end: number) => Math.floor(random() * end);
    const digits = (most: number) =>
      Array.from({ length: below(most) }, () => (random() < 0.3 ? 0 : below(10))).join('');
    const spelled = () => {
      const sign = ['', '', '-', '+'][below(4)];
      const fraction = random() < 0.5 ? '' : `.${digits(26)}`;
      const exponent = random() < 0.8 ? '' : `${['e', 'E+', 'e-'][below(3)]}${digits(4)}`;
      return `${sign}${digits(22)}${fraction}${exponent}`;
    };
    const places = ['value', 'ts', 'candidates', 'share', 'depth', 'firstRank', 'other'];
    for (let round = 0; round < repetitions(8, 2000); round++) {
      const all = Array.from({ length: 100 }, () => {
        const place = places[below(places.length)]!;
        const own = random() < 0.2 ? `"propensities":[${spelled()}]` : `"${place}":${spelled()}`;
        const ts = place === 'ts' && own.startsWith('"ts') ? '' : '"ts":1,';
        return random() < 0.5
          ? `{"type":"exposure","id":"i",${ts}"user":"u","model":"m","items":["a"],"request":"q",${own}}`
          : `{"type":"interaction","id":"i",${ts}"user":"u","item":"a",${own}}`;
      });
      bothAgree(scanned, parsed, lines(...all));
    }
  });

  it('agrees with the parser on timestamps, also on those that do not exist', () => {
    const random = mulberry32(6);
    const scanned = new Reading(true);
    const parsed = new Reading(false);
    const two = (most: number) => String(Math.floor(random() * most)).padStart(2, '0');
    const instant = () => {
      const year = ['2024', '2023', '1900', '2000', '0000', '9999', '1969'][
        Math.floor(random() * 7)
      ];
      const seconds = random() < 0.8 ? `:${two(62)}` : '';
      const part =
        seconds && random() < 0.5 ? `${random() < 0.9 ? '.' : ','}${two(99)}${two(99)}` : '';
      const zone = ['Z', '', '+02:00', '-0330', '+23', '+24:00', '-12:60', 'z'][
        Math.floor(random() * 8)
      ];
      return `${year}-${two(14)}-${two(33)}T${two(25)}:${two(61)}${seconds}${part}${zone}`;
    };
    for (let round = 0; round < repetitions(8, 1000); round++) {
      const all = Array.from({ length: 100 }, () => ({
        type: 'interaction',
        id: 'x',
        ts: instant(),
        user: 'u',
        item: 'i',
      }));
      bothAgree(scanned, parsed, lines(...all));
    }
  });

  it('accepts more events and ids than its columns and memory hold at first', () => {
    const scanned = new Reading(true);
    const parsed = new Reading(false);
    const id = (n: number) => `${n % 2 === 0 ? '' : '0b5f7d2c-8f0e-4c8e-9b1a-'}${n}`;
    for (let part = 0; part < 4; part++) {
      const all = Array.from({ length: 12_000 }, (_, r) => {
        const n = part * 12_000 + r;
        const both = { id: id(n), ts: n, user: `u${id(n % 30_000)}` };
        return n % 4 > 0
          ? { type: 'interaction', ...both, item: `i${id(n)}` }
          : { type: 'exposure', ...both, model: 'm', items: [0, 1, 2].map((i) => `i${id(n + i)}`) };
      });
      bothAgree(scanned, parsed, lines(...all));
    }
    expect(scanned.ids).toEqual(parsed.ids);
    expect(scanned.lines).toBe(0);
  });

  it('accepts long lists of known items and rejects those that are too long', () => {
    const tables = newTables();
    const options = { maxEventBytes: 1 << 20, latestTs: LATEST_TS };
    const scanner = new LineScanner(tables, options);
    const items = (length: number) => Array.from({ length }, (_, i) => `i${i}`);
    const list = (length: number) =>
      lines({ type: 'exposure', id: 'e', ts: 1, user: 'u', model: 'm', items: items(length) });
    const { exposures } = scanner.columns;
    const takes = (line: Uint8Array) => {
      scanner.load(line);
      return scanner.take(0) === line.length;
    };
    expect(takes(list(257))).toBe(false);
    for (const length of [200, 400, 600]) expect(takes(list(length))).toBe(true);
    for (let length = 800; length <= 10_000; length += 200) {
      exposures.clear();
      expect(takes(list(length))).toBe(true);
    }
    expect(takes(list(10_001))).toBe(false);
    let more = 0;
    while (takes(list(10_000))) more++;
    expect(more).toBeGreaterThan(0);
    expect(scanner.isFull).toBe(true);
    expect(exposures.listStart[exposures.length]).toBeGreaterThan(131_072);
  });

  it('leaves events whose ids are rejected to the decoder', () => {
    const tables = [newTables(2), newTables(2)];
    for (const { users } of tables) users.refuses = (bytes, start) => bytes[start] === 0x7a;
    const scanned = new Reading(true, tables[0]);
    const parsed = new Reading(false, tables[1]);
    const event = (user: string, item: string) => ({
      type: 'interaction',
      id: 'x',
      ts: 1,
      user,
      item,
    });
    const list = { type: 'exposure', id: 'e', ts: 1, user: 'u', model: 'm', items: ['b', 'c'] };
    const all = [event('u', 'a'), event('z', 'a'), list, event('z', 'c'), event('v', 'b')];
    bothAgree(scanned, parsed, lines(...all));
    expect(scanned.ids).toEqual(parsed.ids);
    expect(parsed.refused).toHaveLength(3);
  });

  const fileOf = (name: string) =>
    readFileSync(new URL(`../../src/events/${name}`, import.meta.url), 'utf8');

  it('was compiled from its current source', () => {
    const digest = createHash('sha256').update(fileOf('assembly/scanner.ts')).digest('hex');
    expect(fileOf('scanner-code.ts')).toContain(digest);
  });

  // By day the digest above says that nobody has changed the source without compiling it.
  itAtNight(
    'has the code that its source compiles to now',
    async () => {
      const { scannerCode } = await import('../../src/scanner.mjs');
      expect(await scannerCode()).toBe(fileOf('scanner-code.ts'));
    },
    60_000,
  );
});
