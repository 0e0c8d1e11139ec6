import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../../../src/config.js';
import { DamagedCheckpoint, UnskewError } from '../../../../src/errors.js';
import { openCheckpoint } from '../../../../src/stream/checkpoint/checkpoint.js';
import { readStored } from '../../../../src/stream/checkpoint/stored-partition.js';
import { type MonitorOptions, UNSTATED_SETTINGS } from '../../../../src/stream/options.js';
import { runAtOnce } from '../../../../src/stream/sliced.js';
import type { Snapshot } from '../../../../src/stream/tick/snapshot.js';
import {
  goldenLog,
  goldenOptions,
  readFirstPart,
  realTrafficOptions,
  requestsLog,
  requestsOptions,
  sampledOptions,
} from '../../../fixtures/golden-log.js';
import { differences } from '../../../support/compare.js';
import { type Event, feed, smallOptions } from '../../../support/log.js';
import { IS_LONG, repetitions } from '../../../support/repetitions.js';
import { RestartedReader } from '../../../support/restarts.js';

function fixture(name: string): Uint8Array {
  return Uint8Array.from(readFileSync(new URL(`../../../fixtures/${name}`, import.meta.url)));
}

const first = fixture('checkpoint-v1.bin');
const [second, secondSample, secondRealTraffic] = fixtures('checkpoint-v2');
const [golden, goldenSample, goldenRealTraffic] = fixtures('checkpoint-v3');

function fixtures(version: string) {
  const all = ['', '-sampled', '-real-traffic'].map((of) => fixture(`${version}${of}.bin`));
  return all as [Uint8Array, Uint8Array, Uint8Array];
}

function refusal(bytes: Uint8Array): Error {
  try {
    runAtOnce(openCheckpoint(bytes));
  } catch (error) {
    return error as Error;
  }
  throw new Error('the checkpoint was accepted');
}

/** A reader that goes on from these bytes. */
function readerFrom(
  bytes: Uint8Array,
  options = goldenOptions,
  log: readonly Event[] = goldenLog,
): RestartedReader {
  const reader = new RestartedReader(log, options, 1);
  reader.checkpoints.set(0, bytes);
  reader.restart();
  return reader;
}

/** The short run computes few estimates: all of them follow from the same rows and counts. */
const few = (options: MonitorOptions): MonitorOptions =>
  IS_LONG
    ? options
    : {
        ...options,
        estimates: {
          ...options.estimates,
          metrics: ['recall', 'auc'],
          ks: [1],
          estimators: ['naive', 'snips', 'wtd_h'],
        },
      };

function finished(reader: RestartedReader): RestartedReader {
  reader.finish();
  return reader;
}

/** Snapshots of the rest of the log, by checkpoint of the newest version; tests share them. */
const givenBy = new Map<Uint8Array, readonly Snapshot[]>();
function newestGives(bytes: Uint8Array, options = goldenOptions): readonly Snapshot[] {
  const snapshots = givenBy.get(bytes) ?? finished(readerFrom(bytes, few(options))).snapshots;
  givenBy.set(bytes, snapshots);
  return snapshots;
}

describe('a checkpoint of format version 1', () => {
  it('continues under its own settings, and is refused with the setting that differs', () => {
    for (const [options, older, newer] of [
      [goldenOptions, first, golden],
      [sampledOptions, fixture('checkpoint-v1-sampled.bin'), goldenSample],
    ] as const) {
      const { snapshots } = finished(readerFrom(older, few(options)));
      expect(differences(snapshots, newestGives(newer, options), 0)).toEqual([]);
    }
    expect(() => readerFrom(first, realTrafficOptions)).toThrow(
      /partition 0 was made with popularity\.randomized "count", which is now "ignore": set it back \(`preset: papers` does\), or start from scratch with another kafka\.groupId/,
    );
  });

  it('has the header of version 3, except for newer settings', () => {
    const [older, newer] = [first, golden].map((bytes) => runAtOnce(openCheckpoint(bytes)));
    expect([older!.version, newer!.version]).toEqual([1, 3]);
    const { settings } = newer!.head;
    // Detectors have learned to watch the source of γ meanwhile; what they learned is a text of its own.
    const apart = { settings: {}, progress: {} };
    expect({ ...older!.head, ...apart }).toEqual({ ...newer!.head, ...apart });
    expect(settings).toEqual({ ...UNSTATED_SETTINGS, ...older!.head.settings });
  });
});

describe('a checkpoint of format version 2', () => {
  it('continues exactly as one of version 3 does', () => {
    for (const [options, older, newer] of [
      [goldenOptions, second, golden],
      [sampledOptions, secondSample, goldenSample],
      [realTrafficOptions, secondRealTraffic, goldenRealTraffic],
    ] as const) {
      const { snapshots } = finished(readerFrom(older, few(options)));
      expect(differences(snapshots, newestGives(newer, options), 0)).toEqual([]);
    }
  });
});

describe('a checkpoint of format version 3', () => {
  it('continues with the panes of an uninterrupted run', () => {
    for (const [options, bytes] of [
      [goldenOptions, golden],
      [realTrafficOptions, goldenRealTraffic],
    ] as const) {
      const wanted = feed(goldenLog, few(options), { partitions: 1, batchSize: 100, run: 1 });
      const snapshots = newestGives(bytes, options);
      const rest = wanted.snapshots.filter(({ paneEnd }) => paneEnd >= snapshots[0]!.paneEnd);
      expect(rest.length).toBeGreaterThan(5);
      expect(rest.length).toBeLessThan(wanted.snapshots.length);
      expect(differences(snapshots, rest, 1e-9)).toEqual([]);
    }
  });

  it('continues if item popularity segments were switched on after it was made', () => {
    const { builtIn } = readConfig({ env: {} }).config.segments;
    const options = {
      ...few(realTrafficOptions),
      segments: { dimensions: [], builtIn, values: 50, minUsers: 2 },
    };
    const { snapshots } = finished(readerFrom(goldenRealTraffic, options));
    const wanted = feed(goldenLog, options, { partitions: 1, batchSize: 100, run: 1 });
    const rest = wanted.snapshots.filter(({ paneEnd }) => paneEnd >= snapshots[0]!.paneEnd);
    const divided = snapshots.flatMap(({ windows }) => windows.map(({ segments }) => segments));
    expect(divided.filter((own) => own?.dimensions.includes('item_popularity'))).not.toEqual([]);
    expect(differences(snapshots, rest, 1e-9)).toEqual([]);
  });

  it('accounts for every record before its offsets', () => {
    const { head } = runAtOnce(openCheckpoint(golden));
    for (const role of ['exposures', 'interactions'] as const) {
      const counts = Object.values(head.accounts![role]);
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(head.next[role]);
    }
  });

  it('is read from any byte offset of a buffer', () => {
    const reader = readerFrom(
      Buffer.concat([Buffer.from('odd'), golden]).subarray(3),
      few(goldenOptions),
    );
    reader.finish();
    expect(differences(reader.snapshots, newestGives(golden), 0)).toEqual([]);
  });

  it('is still written with identical bytes; any change needs a new version', () => {
    for (const [options, wanted] of [
      [goldenOptions, golden],
      [sampledOptions, goldenSample],
      [realTrafficOptions, goldenRealTraffic],
    ] as const) {
      const reader = new RestartedReader(goldenLog, options, 1);
      readFirstPart(reader);
      reader.checkpoint(0);
      expect(Buffer.compare(reader.checkpoints.get(0)!, wanted)).toBe(0);
    }
  });

  it('of a sampled log continues with the estimates of an uninterrupted run', () => {
    const wanted = new RestartedReader(goldenLog, few(sampledOptions), 1);
    wanted.finish();
    const reader = finished(readerFrom(goldenSample, few(sampledOptions)));
    const [first] = reader.snapshots;
    const rest = wanted.snapshots.filter(({ paneEnd }) => paneEnd >= first!.paneEnd);
    expect(rest.map(({ sampling }) => sampling.ratio)).toEqual(rest.map(() => 0.5));
    expect(differences(reader.snapshots, rest, 1e-9)).toEqual([]);
  });

  it('is identical when loaded and saved again', () => {
    const reader = readerFrom(golden);
    const again = readerFrom(golden);
    again.checkpoint(0);
    reader.checkpoint(0);
    expect(Buffer.compare(reader.checkpoints.get(0)!, again.checkpoints.get(0)!)).toBe(0);
    expect(reader.checkpoints.get(0)!.length).toBe(golden.length);
  });
});

describe('open and closed requests in a checkpoint', () => {
  const asked = few(requestsOptions);
  const undisturbed = finished(new RestartedReader(requestsLog, asked, 1));
  const { segments: _, ...undivided } = asked;

  /** A checkpoint of the first half of the log. */
  function half(options: MonitorOptions): Uint8Array {
    const reader = new RestartedReader(requestsLog, options, 1);
    reader.read('exposures', 0, 120);
    reader.read('interactions', 0, 27);
    reader.checkpoint(0);
    return reader.checkpoints.get(0)!;
  }

  it('have a user history only if the program kept one', () => {
    const [older, newer] = [fixture('checkpoint-v2-requests.bin'), half(asked)].map(
      (bytes) => runAtOnce(readStored(runAtOnce(openCheckpoint(bytes)))).state.closed.requests,
    );
    expect(older!.length).toBe(newer!.length);
    expect(older!.reduce((sum, { length }) => sum + length, 0)).toBeGreaterThan(20);
    for (const [requests, isKept] of [[older!, false] as const, [newer!, true] as const]) {
      const all = requests.map(({ history }) => history !== undefined);
      expect(new Set(all)).toEqual(new Set([isKept]));
    }
  });

  it.each([
    [
      'of an older program that did not keep user histories',
      () => fixture('checkpoint-v2-requests.bin'),
    ],
    ['saved before segment dimensions were configured', () => half(undivided)],
    ['saved by this program', () => half(asked)],
  ])('%s give the values of an uninterrupted run', (_, bytes) => {
    const { snapshots } = finished(readerFrom(bytes(), asked, requestsLog));
    const rest = undisturbed.snapshots.filter(({ paneEnd }) => paneEnd >= snapshots[0]!.paneEnd);
    const valuesOf = (of: readonly Snapshot[]) =>
      of.map(({ paneEnd, windows: [window] }) => ({ paneEnd, values: window!.values }));
    expect(rest.length).toBeGreaterThan(12);
    expect(valuesOf(snapshots)[0]!.values!.length).toBeGreaterThan(3);
    expect(differences(valuesOf(snapshots), valuesOf(rest), 1e-9)).toEqual([]);
    expect(differences(snapshots.slice(-5), rest.slice(-5), 1e-9)).toEqual([]);
  });
});

describe('the state in a checkpoint', () => {
  it('includes the last good fit of γ, used until there is another', () => {
    const reader = new RestartedReader(goldenLog, goldenOptions, 1);
    const opened = runAtOnce(openCheckpoint(golden));
    const progress = { ...opened.head.progress, gamma: { gamma: 1.25, stdErr: 0.1 } };
    const { monitor } = reader.ingest;
    runAtOnce(
      reader.ingest.checkpoints.restore(0, { ...opened, head: { ...opened.head, progress } }),
    );
    const closed = runAtOnce(monitor.close(monitor.closable()!));
    expect(closed!.snapshot.propensity).toMatchObject({ gamma: 1.25, source: 'last_good' });
  });
});

describe('an event that is late only within its partition', () => {
  it('is still late after a restart', () => {
    const of = { user: 'u', model: 'm', items: ['a', 'b'] };
    const log: Event[] = [
      { type: 'exposure', id: 'e0', ts: 1000, ...of },
      { type: 'interaction', id: 'x0', ts: 1001, user: 'u', item: 'a' },
      { type: 'interaction', id: 'x1', ts: 1100, user: 'u', item: 'b' },
      { type: 'interaction', id: 'late', ts: 1050, user: 'u', item: 'b' },
      { type: 'exposure', id: 'e1', ts: 1101, ...of },
    ];
    const undisturbed = new RestartedReader(log, smallOptions(), 1);
    undisturbed.finish();
    const reader = new RestartedReader(log, smallOptions(), 1);
    // No exposure was read, so no pane is closed: only the newest event tells what is late.
    reader.read('interactions', 0, 2);
    reader.checkpoint(0);
    reader.restart();
    reader.finish();
    expect(differences(reader.snapshots, undisturbed.snapshots, 1e-9)).toEqual([]);
  });
});

describe('an invalid checkpoint', () => {
  it('is refused as damaged when truncated to any length', () => {
    for (let length = 0; length < golden.length; length += repetitions(5, 1)) {
      expect(refusal(golden.slice(0, length))).toBeInstanceOf(DamagedCheckpoint);
    }
    expect(refusal(Uint8Array.of(...golden, 0))).toBeInstanceOf(DamagedCheckpoint);
  });

  it('is refused whichever byte is changed', () => {
    for (let at = 0; at < golden.length; at += repetitions(5, 1)) {
      const changed = golden.slice();
      changed[at]! ^= 0x10;
      expect(refusal(changed)).toBeInstanceOf(UnskewError);
    }
  });

  it('is refused with the reason if newer or foreign', () => {
    const newer = golden.slice();
    newer[8] = 4;
    expect(refusal(newer)).not.toBeInstanceOf(DamagedCheckpoint);
    expect(refusal(newer).message).toBe(
      'the checkpoint is of version 4; this version of unskew reads versions 1, 2 and 3: run the version that wrote it, or start from scratch with another kafka.groupId',
    );
    const foreign = new TextEncoder().encode('{"schema":"something else","of":"others"}');
    expect(refusal(foreign)).not.toBeInstanceOf(DamagedCheckpoint);
    expect(refusal(foreign).message).toBe('the stored data are not a checkpoint');
  });

  it('is refused if settings of the state differ, but not settings of estimates', () => {
    expect(() => readerFrom(golden, smallOptions({ tickMs: 20 }))).toThrow(
      /partition 0 was made with time\.tick 10ms, which is now 20ms: set it back, or start from scratch/,
    );
    const { estimates } = smallOptions();
    // What only the estimates depend on may change.
    readerFrom(
      golden,
      smallOptions({
        estimates: { ...estimates, ks: [3] },
        gamma: { ...goldenOptions.gamma, use: 1 },
      }),
    );
  });

  it('is refused by another partition', () => {
    const reader = new RestartedReader(goldenLog, goldenOptions, 2);
    reader.checkpoints.set(1, golden);
    expect(() => reader.restart()).toThrow('the checkpoint of partition 1 belongs to partition 0');
  });
});
