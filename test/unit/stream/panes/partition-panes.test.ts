import { describe, expect, it } from 'vitest';
import { type Cut, NO_PANES, PaneFold, type PaneHead } from '../../../../src/stream/panes/fold.js';
import {
  PartitionPanes,
  type PartitionStand,
} from '../../../../src/stream/read/partition-panes.js';

const NEVER = Number.NEGATIVE_INFINITY;

function at(offset: number): Cut {
  return { exposures: offset, interactions: offset };
}

/** A record of one pane, with the offsets at which it begins and ends. */
function record(after: number, pane: number, from: number, to: number, through = pane): PaneHead {
  return { after, pane, through, from: at(from), to: at(to) };
}

function stand(read: number, more: Partial<PartitionStand> = {}): PartitionStand {
  const isRead = ({ to }: PaneHead) => read >= to.exposures;
  return { read: at(read), oldestOpen: 100, closable: 0, isRead, ...more };
}

describe('pane records of a partition', () => {
  it('are lost if a first record comes after others', () => {
    const fold = new PaneFold(NO_PANES);
    expect(fold.take(record(4, 5, 10, 12))).toEqual({ counted: [], isLost: false });
    const again = record(NEVER, 2, 0, 3);
    expect(fold.take(again)).toEqual({ counted: [again], isLost: true });
  });
});

describe('a reader', () => {
  it('reloads its state if another reader began at a later pane', () => {
    const panes = new PartitionPanes();
    panes.wrote(record(NEVER, 3, 0, 0));
    panes.take(record(NEVER, 5, 0, 0));
    expect(panes.step(stand(0), true).kind).toBe('reload');
  });

  it('reloads its state if records end like its own but are cut differently', () => {
    const panes = new PartitionPanes({ through: 4, to: at(10) });
    panes.wrote(record(4, 5, 10, 20, 6));
    panes.take(record(4, 5, 10, 15));
    panes.take(record(5, 6, 15, 20));
    expect(panes.isCounted).toBe(false);
    expect(panes.step(stand(20), true).kind).toBe('reload');
  });

  it('continues if two of its own records prove that earlier ones are lost', () => {
    const panes = new PartitionPanes({ through: 4, to: at(10) });
    panes.take(record(4, 5, 10, 15));
    panes.followed(record(4, 5, 10, 15));
    const first = record(5, 6, 14, 20);
    panes.wrote(first);
    expect(panes.take(first)).toBe(false);
    panes.giveUp();
    const second = record(6, 7, 20, 25);
    panes.wrote(second);
    expect(panes.take(second)).toBe(true);
    expect(panes.isCounted).toBe(true);
    expect(panes.step(stand(25), true).kind).toBe('wait');
  });

  it('closes a pane at its own offset if it has read beyond the record', () => {
    const panes = new PartitionPanes({ through: 5, to: at(20) });
    panes.take(record(5, 6, 12, 14));
    expect(panes.take(record(6, 7, 14, 22))).toBe(true);
    expect(panes.step(stand(20), true)).toEqual({ kind: 'pass', pane: 6 });
    panes.passed(6, at(20));
    expect(panes.step(stand(22), true)).toMatchObject({ kind: 'follow', head: { pane: 7 } });
  });

  it('follows a record that also covers panes it has closed', () => {
    const panes = new PartitionPanes({ through: 5, to: at(10) });
    panes.take(record(3, 7, 8, 14));
    panes.take(record(7, 8, 14, 16));
    expect(panes.step(stand(14), true)).toMatchObject({ kind: 'follow', head: { pane: 7 } });
  });
});
