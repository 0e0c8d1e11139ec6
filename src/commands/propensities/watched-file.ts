import { stat } from 'node:fs/promises';
import { concatMap, timer } from 'rxjs';
import { UnskewError } from '../../errors.js';
import type {
  PropensitySource,
  UsedPropensities,
} from '../../estimators/propensity/used-propensities.js';
import type { Logger } from '../cli/io.js';
import { type PackedFile, usedOf } from './used-file.js';

/** A rejected file is read again after this time, ms, since the file may be valid by then. */
const AGAIN_MS = 60_000;
/** Interval between checks whether the file has changed, ms. */
const EVERY_MS = 2_000;

/** Reads a propensities file. @throws UnskewError FILE if it is not valid */
export type ReadFile = (path: string) => Promise<PackedFile>;

/**
 * A propensities file that is read again when it changes. A new file replaces the one in use as a
 * whole; if the new file cannot be read or is missing, the old one stays in use.
 */
export class WatchedFile implements PropensitySource {
  /** Called with the outcome of reading a changed file. Set it before `start`. */
  onReading: (outcome: 'taken' | 'refused') => void = () => {};
  private used: UsedPropensities;
  /**
   * Why the file on disk was rejected, and when (wall clock, ms); undefined if the file on disk is
   * in use.
   */
  private refused:
    | {
        readonly why: string;
        readonly at: number;
      }
    | undefined;

  private constructor(
    private readonly path: string,
    private readonly log: Logger,
    private readonly read: ReadFile,
    /** State of the file (`stateOf`) when it was read last, even if it was then rejected. */
    private seen: string,
    private file: PackedFile,
  ) {
    this.used = usedOf(file);
  }

  /**
   * @param read reads the file; in a service it must not block the thread
   * @throws UnskewError FILE as `readPropensities`
   */
  static async open(path: string, log: Logger, read: ReadFile): Promise<WatchedFile> {
    // The state is taken first, so that a change during the reading is read again.
    const seen = await stateOf(path);
    const file = await read(path);
    const { kind, version, date } = file;
    log.info(
      {
        file: path,
        kind,
        version,
        date,
      },
      'propensities file loaded',
    );
    return new WatchedFile(path, log, read, seen, file);
  }

  current(): UsedPropensities {
    return this.used;
  }

  /** File in use, in packed form for another thread. */
  get packed(): PackedFile {
    return this.file;
  }

  /** Start to check the file for changes. @returns function that stops the checks */
  start(): () => Promise<void> {
    const looking = timer(EVERY_MS, EVERY_MS)
      .pipe(concatMap(() => this.look()))
      .subscribe();
    return async () => looking.unsubscribe();
  }

  /** Read the file if it has changed. A rejected file is also read again after a minute. */
  async look(now = Date.now()): Promise<void> {
    const state = await stateOf(this.path);
    const isDue = this.refused !== undefined && now - this.refused.at >= AGAIN_MS;
    const isNew = state !== this.seen;
    if (!isNew && !isDue) return;
    this.seen = state;
    const { path } = this;
    try {
      const file = await this.read(path);
      const { version: before } = this.file;
      this.file = file;
      this.used = usedOf(file);
      this.refused = undefined;
      this.onReading('taken');
      if (file.version === before) return;
      const { kind, version, date } = file;
      this.log.info(
        {
          file: path,
          kind,
          version,
          date,
          before,
        },
        'new propensities file loaded',
      );
    } catch (error) {
      if (!(error instanceof UnskewError)) throw error;
      const { version, date } = this.file;
      const why = `the old propensities file stays in use, because the new one was rejected: ${error.message}`;
      if (isNew || why !== this.refused?.why) {
        this.onReading('refused');
        this.log.error(
          {
            file: path,
            version,
            date,
          },
          why,
        );
      }
      this.refused = {
        why,
        at: now,
      };
    }
  }
}

/** Text that changes with the file: inode, size and modification time, or an error code. */
async function stateOf(path: string): Promise<string> {
  try {
    const { ino, size, mtimeNs } = await stat(path, { bigint: true });
    return `${ino} ${size} ${mtimeNs}`;
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code);
  }
}
