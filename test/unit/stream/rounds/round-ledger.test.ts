import { describe, expect, it } from 'vitest';
import { CutTable } from '../../../../src/stream/rounds/cut-table.js';
import {
  nextStep,
  type OwnPartition,
  restartDue,
} from '../../../../src/stream/rounds/next-step.js';
import { type Change, RoundLedger } from '../../../../src/stream/rounds/round-ledger.js';
import { encodeRecord, type LogRecord } from '../../../../src/stream/rounds/round-record.js';

const NEVER = Number.NEGATIVE_INFINITY;
const cut = (interactions: number) => ({ exposures: 0, interactions, level: 0, models: [] });
const claim = (partition: number, nonce: string, over = '', algorithm = 'a1'): LogRecord => {
  return { kind: 'claim', partition, nonce, over, count: 2, algorithm };
};
const base = (
  partition: number,
  nonce: string,
  pane = NEVER,
  next: number | null = 4,
): LogRecord => {
  return { kind: 'base', partition, nonce, pane, next, cuts: [], payload: Uint8Array.of(pane) };
};
const closing = (partition: number, nonce: string, at = 10, isEmpty = false): LogRecord => {
  const payload = Uint8Array.of(at);
  return {
    ...{ kind: 'closing', partition, nonce, pane: 4, cut: cut(at), next: 5 },
    ...{ isEmpty, payload },
  };
};
const sums = (partition: number, nonce: string, round: number, value = 1): LogRecord => {
  return { kind: 'sums', partition, nonce, pane: 4, round, payload: Uint8Array.of(value) };
};
const restart = (nonce: string, over: string | null, pane = NEVER): LogRecord => {
  return { kind: 'restart', nonce, over, pane, cuts: [], note: null };
};
const OPENED = [claim(0, 'a'), claim(1, 'b'), base(0, 'a'), base(1, 'b')];

class Written {
  readonly ledger = new RoundLedger((_, rounds) => rounds.length === 2);
  #n = 0;

  take(...records: LogRecord[]): Change[] {
    return records.flatMap((record) => {
      return this.ledger.take(`${++this.#n}`, encodeRecord(record)) ?? [];
    });
  }
}

function opened() {
  const written = new Written();
  written.take(...OPENED);
  return {
    ledger: written.ledger,
    take: (...records: LogRecord[]) => written.take(...records),
  };
}

function stepOf(ledger: RoundLedger, own: Partial<OwnPartition>, algorithm = 'a1') {
  const memory = new CutTable();
  const state = {
    ...{ partition: 0, nonce: 'a', wasClaimed: true, closed: NEVER, knowsNext: true },
    cutOf: () => undefined,
  };
  return nextStep(ledger, { ...state, ...own }, { algorithm, settled: NEVER, memory });
}

describe('a log of rounds', () => {
  it('opens when all partitions have said what they have, and closes the earliest pane', () => {
    const written = new Written();
    const changes = written.take(...OPENED);
    expect(changes).toMatchObject([{ kind: 'opened', pane: NEVER }]);
    expect(written.ledger).toMatchObject({ isGathering: false, pane: 4, round: 0 });
  });

  it('counts of a pane, round and partition the first record under the claim that stands', () => {
    const written = new Written();
    written.take(...OPENED, closing(0, 'a', 10), closing(0, 'a', 99), closing(1, 'x', 99));
    expect(written.ledger.has(1)).toBe(false);
    const [round] = written.take(closing(1, 'b', 20));
    const payloads = [Uint8Array.of(10), Uint8Array.of(20)];
    expect(round).toEqual({ kind: 'round', pane: 4, round: 0, payloads });
    expect(written.take(sums(0, 'a', 2), sums(0, 'a', 1), sums(1, 'b', 1, 7))).toMatchObject([
      { kind: 'concluded', concluded: { pane: 4, cuts: [cut(10), cut(20)], isEmpty: false } },
    ]);
    expect(written.ledger).toMatchObject({ concluded: 4, pane: 5 });
  });

  it('concludes a pane that is empty everywhere without more rounds', () => {
    const written = new Written();
    const changes = written.take(...OPENED, closing(0, 'a', 1, true), closing(1, 'b', 1, true));
    expect(changes.at(-1)).toMatchObject({ kind: 'concluded', concluded: { isEmpty: true } });
  });

  it('knows a claim once alone, and only over the one that stands', () => {
    const written = new Written();
    written.take(claim(0, 'a'), claim(0, 'b', 'a'), claim(0, 'a'), claim(0, 'c', 'a'));
    expect(written.ledger.claimOf(0)).toBe('b');
  });

  it('binds the worker that takes a partition over to the cut that was recorded', () => {
    const written = new Written();
    written.take(...OPENED, closing(0, 'a', 10), claim(0, 'c', 'a'));
    const own = { nonce: 'c', closed: NEVER };
    expect(stepOf(written.ledger, own)).toEqual({ kind: 'close', pane: 4, cut: cut(10) });
    const elsewhere = { nonce: 'c', closed: 4, cutOf: () => cut(12) };
    expect(stepOf(written.ledger, elsewhere)).toEqual({ kind: 'reload' });
    expect(stepOf(written.ledger, { ...elsewhere, cutOf: () => cut(10) })).toEqual({
      kind: 'wait',
    });
  });

  it('has a worker that lost its claim begin at a checkpoint', () => {
    const written = new Written();
    written.take(...OPENED, claim(0, 'c', 'a'));
    expect(stepOf(written.ledger, {})).toEqual({ kind: 'reload' });
    expect(stepOf(written.ledger, { wasClaimed: false })).toEqual({ kind: 'claim', over: 'c' });
  });

  it('refuses a worker that computes otherwise, in one line, until all others have stopped', () => {
    const written = new Written();
    const [foreign] = written.take(...OPENED, claim(0, 'z', 'a', 'a2')).slice(1);
    expect(foreign).toEqual({ kind: 'foreign', algorithm: 'a2' });
    expect(written.ledger.claimOf(0)).toBe('a');
    expect(stepOf(written.ledger, {}, 'a2')).toEqual({
      kind: 'refused',
      reason:
        'the log of rounds is of workers that compute by a1, and this one computes by a2: stop them all first',
    });
    written.take({ kind: 'release', partition: 0, nonce: 'a' });
    written.take({ kind: 'release', partition: 1, nonce: 'b' });
    expect(written.take(claim(0, 'z', '', 'a2'))).toMatchObject([{ kind: 'restarted' }]);
    expect(written.ledger).toMatchObject({ algorithm: 'a2', isGathering: true });
  });

  it('gathers again after a restart, at the newest pane that anybody had', () => {
    const written = new Written();
    const [, restarted] = written.take(...OPENED, restart('r', '', 6));
    expect(restarted).toMatchObject({ kind: 'restarted' });
    written.take(claim(0, 'a2'), claim(1, 'b2'), base(0, 'a2', 6, 7));
    expect(written.take(base(1, 'b2', 4, 5))).toEqual([]);
    expect(written.ledger.target).toBe(6);
    expect(stepOf(written.ledger, { partition: 1, nonce: 'b2', closed: 4 })).toMatchObject({
      kind: 'close',
      pane: 6,
    });
    expect(written.take(base(1, 'b2', 6, null))).toMatchObject([{ kind: 'opened', pane: 6 }]);
    expect(written.ledger.pane).toBe(7);
  });

  it('is restarted by the one that knows more, once, and not by a copy that comes late', () => {
    const { ledger, take } = opened();
    const knowing = (settled: number) => {
      const memory = new CutTable();
      memory.add({ pane: 6, partition: 1, cut: cut(31), isConcluded: true });
      return restartDue(ledger, { algorithm: 'a1', settled, memory });
    };
    expect(knowing(NEVER)).toBeUndefined();
    const due = knowing(6)!;
    expect(due).toMatchObject({ over: '', pane: 6 });
    take({ kind: 'restart', nonce: 'r', ...due });
    expect(ledger).toMatchObject({ isGathering: true, target: 6, epoch: 'r' });
    expect(ledger.cut(6, 1)).toMatchObject({ cut: cut(31) });
    expect(knowing(6)).toBeUndefined();
    take(claim(0, 'a2'));
    // Another saw the same loss, and the first one's record comes again.
    expect(take({ kind: 'restart', nonce: 's', ...due }, restart('r', '', 6))).toEqual([]);
    expect(ledger.claimOf(0)).toBe('a2');
    // One that knows still more brings all to a later pane, and what is claimed stays so.
    expect(take({ kind: 'restart', nonce: 't', ...knowing(8)! })).toEqual([]);
    expect(ledger).toMatchObject({ target: 8, epoch: 't' });
    expect(ledger.claimOf(0)).toBe('a2');
  });

  it('that nobody can read from its beginning says nothing before it is restarted blindly', () => {
    const written = new Written();
    const { ledger } = written;
    ledger.readBlindly('0');
    expect(written.take(...OPENED, restart('r', '', 6))).toEqual([]);
    const memory = new CutTable();
    const due = restartDue(ledger, { algorithm: 'a1', settled: 4, memory });
    expect(due).toEqual({ over: null, pane: 4, cuts: [], note: null });
    expect(written.take({ kind: 'restart', nonce: 's', ...due! })).toMatchObject([
      { kind: 'restarted' },
    ]);
    expect(ledger).toMatchObject({ isBlind: false, isGathering: true, target: 4, epoch: 's' });
  });

  it('keeps workers that compute otherwise out where it is restarted', () => {
    const { ledger, take } = opened();
    take(restart('r', '', 6));
    expect(stepOf(ledger, { nonce: 'z', wasClaimed: false }, 'a2')).toMatchObject({
      kind: 'refused',
    });
  });

  it('can be trimmed up to the older of the two newest checkpoints of every partition', () => {
    const written = new Written();
    written.take(...OPENED);
    const { ledger } = written;
    const panes: string[] = [];
    for (let pane = 4; pane < 8; pane++) {
      for (const [p, nonce] of ['a', 'b'].entries()) {
        const at = { ...closing(p, nonce, pane, true), pane, next: pane + 1 } as LogRecord;
        written.take(at);
      }
      panes.push(ledger.position!);
      for (const [partition, nonce] of ['a', 'b'].entries()) {
        if (pane === 7 && partition === 1) continue;
        written.take({ kind: 'saved', partition, nonce, pane, note: null });
      }
    }
    expect(ledger.trimmable).toBe(panes[1]);
    // Where panes before were closed is forgotten: a state that is older cannot catch up.
    expect(stepOf(ledger, { closed: 4 })).toEqual({ kind: 'reload' });
    expect(stepOf(ledger, { closed: 5 })).toMatchObject({ kind: 'close', pane: 6 });
  });

  it('goes on from a note as if all of it had been read', () => {
    const written = new Written();
    written.take(...OPENED, closing(0, 'a'), closing(1, 'b'), sums(0, 'a', 1), sums(1, 'b', 1));
    const note = JSON.parse(JSON.stringify(written.ledger.note));
    const resumed = new RoundLedger((_, rounds) => rounds.length === 2, note);
    expect(resumed.cuts).toEqual(written.ledger.cuts);
    for (const each of ['position', 'epoch', 'concluded', 'pane', 'members', 'isFree'] as const) {
      expect(resumed[each]).toEqual(written.ledger[each]);
    }
    expect(resumed.claimOf(1)).toBe('b');
  });

  it('says so of bytes that are no record, and goes on', () => {
    const { ledger } = new Written();
    expect(ledger.take('1', Uint8Array.of(1, 2, 3))).toEqual({ kind: 'malformed' });
    expect(ledger.position).toBe('1');
  });
});
