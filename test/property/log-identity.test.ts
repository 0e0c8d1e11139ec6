import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LogCheck, type LogVerdict } from '../../src/stream/files/log-check.js';
import { markOf, RecordTrail } from '../../src/stream/read/record-mark.js';
import { repetitions } from '../support/repetitions.js';

interface Kept {
  readonly offset: number;
  readonly epoch: number;
  /** No two records are alike. */
  readonly serial: number;
}

let serial = 0;
const NO_BYTES = new Uint8Array(0);

/** A log as a cluster keeps it: an unclean election cuts its end and begins a later epoch. */
class ModelLog {
  low = 0;
  high = 0;
  epoch: number;
  records: Kept[] = [];

  constructor(epoch = 0) {
    this.epoch = epoch;
  }

  append(count: number): void {
    for (let r = 0; r < count; r++) {
      this.records.push({ offset: this.high++, epoch: this.epoch, serial: serial++ });
    }
  }

  elect(lost: number): void {
    this.high = Math.max(this.low, this.high - lost);
    this.records = this.records.filter(({ offset }) => offset < this.high);
    this.epoch++;
  }

  trim(count: number): void {
    this.low = Math.min(this.high, this.low + count);
    this.records = this.records.filter(({ offset }) => offset >= this.low);
  }

  /** As compaction and aborted transactions do. */
  drop(every: number): void {
    this.records = this.records.filter(({ offset }) => offset % every !== 1);
  }

  markAt(record: Kept) {
    const { offset, epoch, serial: ts } = record;
    return markOf({ offset, epoch, ts, key: null, value: NO_BYTES });
  }
}

/** Looks `size` offsets at a time, as fetches do. */
function verdictOf(log: ModelLog, trail: RecordTrail, next: number, size: number) {
  const check = new LogCheck(trail.marks, next, log);
  let looks = 0;
  while (check.verdict === undefined) {
    expect(looks++).toBeLessThan(2000);
    expect(check.at).toBeLessThan(log.high);
    const from = check.at;
    const found = log.records.filter(({ offset }) => offset >= from).slice(0, size);
    check.look({
      count: found.length,
      offset: (r) => found[r]!.offset,
      epoch: (r) => found[r]!.epoch,
      mark: (r) => log.markAt(found[r]!),
      next: (found.at(-1)?.offset ?? log.high - 1) + 1,
      high: log.high,
    });
  }
  return check.verdict;
}

/** Reads all of it in chunks of this many. */
function readThrough(log: ModelLog, trail: RecordTrail, from: number, chunk: number): Kept[] {
  const read = log.records.filter(({ offset }) => offset >= from);
  for (let r = 0; r < read.length; r += chunk) {
    if (trail.marks.length === 0) trail.add(log.markAt(read[0]!));
    const last = read[Math.min(r + chunk, read.length) - 1]!;
    if (last.offset > (trail.marks[0]?.offset ?? -1)) trail.add(log.markAt(last));
  }
  return read;
}

const goesOnAt = (verdict: LogVerdict, next: number) =>
  verdict.kind === 'same' ? next : verdict.found;

const sizes = fc.record({
  chunk: fc.integer({ min: 1, max: 40 }),
  look: fc.integer({ min: 1, max: 50 }),
});
const change = fc.record({
  lost: fc.integer({ min: 0, max: 300 }),
  added: fc.integer({ min: 0, max: 300 }),
});

describe('a log that is checked again', () => {
  it('is continued at the first unread record after any leader elections', () => {
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 6 }), sizes, (changes, how) => {
        const log = new ModelLog();
        const trail = new RecordTrail();
        log.append(200);
        const read = new Set<number>();
        let next = 0;
        for (const { lost, added } of [...changes, { lost: 0, added: 1 }]) {
          for (const each of readThrough(log, trail, next, how.chunk)) {
            expect(read.has(each.serial)).toBe(false);
            read.add(each.serial);
          }
          expect(log.records.every((each) => read.has(each.serial))).toBe(true);
          next = log.high;
          log.elect(lost);
          log.append(added);
          const verdict = verdictOf(log, trail, next, how.look);
          const isCut = log.records.some((r) => r.offset < next && !read.has(r.serial));
          if (isCut || log.high < next) expect(verdict.kind).not.toBe('same');
          else expect(verdict.kind).toBe('same');
          next = goesOnAt(verdict, next);
          trail.cut(next, verdict.kind === 'same' ? undefined : verdict.kept);
        }
      }),
      { numRuns: repetitions(40, 4000) },
    );
  }, 600_000);

  it('is read from its beginning if it was recreated, at any length and epoch', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 400 }),
        fc.integer({ min: 0, max: 400 }),
        fc.integer({ min: 0, max: 3 }),
        sizes,
        (before, after, epoch, how) => {
          const log = new ModelLog(1);
          log.append(before);
          const trail = new RecordTrail();
          readThrough(log, trail, 0, how.chunk);
          const other = new ModelLog(epoch);
          other.append(after);
          const found = verdictOf(other, trail, log.high, how.look);
          expect(found).toEqual({ kind: 'recreated', found: 0 });
        },
      ),
      { numRuns: repetitions(40, 4000) },
    );
  });

  it('counts as the same if it was only trimmed or compacted', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 300 }),
        fc.integer({ min: 0, max: 300 }),
        fc.integer({ min: 2, max: 7 }),
        sizes,
        (count, trimmed, every, how) => {
          const log = new ModelLog();
          log.append(count);
          const trail = new RecordTrail();
          readThrough(log, trail, 0, how.chunk);
          const next = log.high;
          log.elect(0);
          log.append(10);
          log.trim(trimmed);
          log.drop(every);
          if (next < log.low) return;
          expect(verdictOf(log, trail, next, how.look)).toEqual({ kind: 'same' });
        },
      ),
      { numRuns: repetitions(40, 4000) },
    );
  });

  it('counts as the same if a cluster moved it and its epochs restarted', () => {
    const log = new ModelLog(7);
    log.append(100);
    const trail = new RecordTrail();
    readThrough(log, trail, 0, 10);
    const moved = new ModelLog();
    moved.high = log.high;
    moved.records = log.records.map((record) => ({ ...record, epoch: 0 }));
    expect(verdictOf(moved, trail, 100, 10)).toEqual({ kind: 'same' });
  });

  it('is reread from the last matching mark if a backup is restored without epochs', () => {
    const log = new ModelLog();
    log.append(100);
    const trail = new RecordTrail();
    readThrough(log, trail, 0, 10);
    log.elect(35);
    log.epoch = 0;
    log.append(50);
    const verdict = verdictOf(log, trail, 100, 10);
    expect(verdict).toEqual({ kind: 'truncated', found: 60 });
  });
});

describe('the trail of a log', () => {
  it('holds the first and the newest offset, and few between them', () => {
    const trail = new RecordTrail();
    const log = new ModelLog();
    log.append(100_000);
    readThrough(log, trail, 0, 100);
    const offsets = trail.marks.map(({ offset }) => offset);
    expect([offsets[0], offsets.at(-1)]).toEqual([99_999, 0]);
    expect(offsets.length).toBeLessThan(40);
    for (let m = 2; m < offsets.length; m++) {
      const nearer = 99_999 - offsets[m - 1]!;
      const farther = 99_999 - offsets[m]!;
      expect(farther).toBeLessThanOrEqual(Math.max(2 * nearer, nearer + 100));
    }
  });
});
