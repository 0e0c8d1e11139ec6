import { fileHash } from '../../adapters/files/file-hash.js';
import type { DecoderOptions } from '../../events/decode.js';
import { FAULT_REASONS } from '../../events/fault.js';
import type { SetIds } from '../../export/hashed-ids.js';
import type { SetIntake } from '../../export/intake.js';
import type { FileSource, ReadCounts, SetSource } from '../../export/manifest.js';
import { Interner } from '../../state/ids/interner.js';
import { Outcomes } from '../../stream/outcomes.js';
import type { CommandIo } from '../cli/io.js';
import { faultyOf, noEvents } from '../files/no-events.js';
import { EventReader } from '../files/read-events.js';

export interface FileReaderOptions {
  readonly events: readonly string[];
  /** Event files of the train part; none if a hash splits the events. */
  readonly train: readonly string[];
  /**
   * For a set that is made again: the path of each file in the manifest, by the file's current
   * path.
   */
  readonly knownAs?: ReadonlyMap<string, string>;
  readonly decoder: DecoderOptions;
  readonly maxEventBytes: number;
  readonly maxFaults: number;
  readonly io: CommandIo;
}

/** Reads a set's interactions from event files, in any order. */
export class FileSetReader implements SetReader {
  constructor(private readonly options: FileReaderOptions) {}

  async read(intake: SetIntake, ids: SetIds): Promise<ReadEvents> {
    const { events, train, knownAs } = this.options;
    const outcomes = new Outcomes();
    const reader = new EventReader({
      ...this.options,
      ids: {
        items: ids.items,
        models: new Interner(),
      },
      users: ids.users,
      actions: ids.actions,
      // A set must not depend on the time at which it is made.
      referenceTs: Number.POSITIVE_INFINITY,
    });
    const read = {
      exposures: 0,
      interactions: 0,
    };
    let first: string | undefined;
    const sources: FileSource[] = [];
    for (const [role, paths] of [
      ['train', train],
      ['events', events],
    ] as const) {
      for (const path of paths) {
        const known = knownAs?.get(path) ?? path;
        sources.push({
          kind: 'file',
          role,
          path: known,
          ...(await fileHash(path)),
        });
        await reader.read([path], outcomes, (interactions, exposures) => {
          read.exposures += exposures.length;
          read.interactions += interactions.length;
          return intake.take(interactions, role === 'train');
        });
        first ??= reader.faults.first;
      }
    }
    const { exposures, interactions } = read;
    const faulty = faultyOf(outcomes);
    if (exposures + interactions === 0 && faulty > 0) {
      const { mapping, files } = this.options.decoder;
      const isMapped = mapping !== undefined || files !== undefined;
      throw noEvents(
        [...train, ...events],
        {
          faulty,
          ignored: outcomes.ignored,
          first,
        },
        isMapped,
      );
    }
    return {
      sources,
      counts: readCounts(exposures, interactions, outcomes),
    };
  }
}

/** Build the counts of what was read, for the manifest. */
export function readCounts(
  exposures: number,
  interactions: number,
  { ignored, faults }: Outcomes,
): Omit<ReadCounts, 'outsideRange' | 'interactions'> {
  const found = faults.flatMap((count, code) =>
    count > 0 ? [[FAULT_REASONS[code], count] as const] : [],
  );
  const faulty = found.reduce((sum, [, count]) => sum + count, 0);
  const events = exposures + interactions + ignored + faulty;
  return {
    events,
    exposures,
    ignored,
    faults: Object.fromEntries(found),
  };
}

/** Sources that were read for a set, and counts of their events. */
export interface ReadEvents {
  readonly sources: readonly SetSource[];
  readonly counts: Omit<ReadCounts, 'outsideRange' | 'interactions'>;
}

/** Reads the interactions of a set's sources into its intake. */
export interface SetReader {
  read(intake: SetIntake, ids: SetIds): Promise<ReadEvents>;
}
