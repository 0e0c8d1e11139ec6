import { ExposureColumns, type IdTable, InteractionColumns } from '../../events/columns.js';
import { ACCEPTED, FAULT_REASONS, type FaultReason, IGNORED } from '../../events/fault.js';
import { IdSet } from '../../events/id-log.js';
import type { Mapping } from '../../events/mapping/mapping.js';
import { counted } from '../../rows/figures.js';
import { readingText } from '../../rows/findings/reading.js';
import { type EventSink, FileEvents, type ReadEvent } from './file-events.js';
import { KindWatch, SomeIds } from './kind-watch.js';
import type { RowListOptions } from './row-lists.js';

export interface ValidateOptions {
  /** Largest event in bytes; 1 MiB by default. */
  readonly maxEventBytes?: number;
  /** Longest time by which an event may be later than `referenceTs`, ms; 0 by default. */
  readonly maxFutureMs?: number;
  /**
   * An event is invalid if it is more than `maxFutureMs` later than this time, ms. Without this
   * time, no event is invalid for that reason.
   */
  readonly referenceTs?: number;
  /** Mapping for files with events of another schema. */
  readonly mapping?: Mapping;
  /** Mappings for files whose names match a pattern. */
  readonly files?: Readonly<Record<string, Mapping>> | undefined;
  /** How rows with one item each form lists. */
  readonly lists?: RowListOptions | undefined;
  /** Most invalid events that are reported one by one; the rest are counted. 100 by default. */
  readonly maxReported?: number;
  /** Most distinct event ids stored to find repeats; 20 million by default. */
  readonly maxIds?: number;
  readonly onProgress?: (path: string, bytesRead: number, totalBytes: number) => void;
}

export interface ValidateCounts {
  files: number;
  /** Number of events: all lines except blank ones. */
  events: number;
  exposures: number;
  interactions: number;
  /** Number of events of a kind that the mapping ignores. */
  ignored: number;
  /** Number of invalid events; an event with a repeated id is invalid. */
  faulty: number;
  readonly faults: Partial<Record<FaultReason | 'repeated_id', number>>;
}

const DEFAULT_MAX_EVENT_BYTES = 1024 * 1024;
const NO_IDS: IdTable = { intern: () => 0 };

/**
 * Check event files line by line. Reports each problem as `file:line: reason: detail`, then one
 * line per reason and a summary.
 *
 * Memory does not depend on file size: only 64-bit hashes of event ids are kept, at most `maxIds`.
 *
 * @param out receives one line of text, without a line break
 * @throws UnskewError FILE if a file cannot be read, USAGE if the mapping is wrong
 */
export async function validateFiles(
  paths: readonly string[],
  options: ValidateOptions,
  out: (line: string) => void,
): Promise<ValidateCounts> {
  const { onProgress, maxEventBytes = DEFAULT_MAX_EVENT_BYTES } = options;
  const validator = new Validator(
    {
      ...options,
      maxEventBytes,
    },
    out,
  );
  for (const path of paths) {
    validator.counts.files++;
    await validator.read(path, onProgress);
  }
  await validator.end();
  validator.summarize();
  return validator.counts;
}

class Validator {
  readonly counts: ValidateCounts = {
    files: 0,
    events: 0,
    exposures: 0,
    interactions: 0,
    ignored: 0,
    faulty: 0,
    faults: {},
  };
  private readonly files: FileEvents;
  private readonly watch = new KindWatch();
  private readonly tables = {
    users: NO_IDS,
    items: new SomeIds(),
    models: NO_IDS,
  };
  private readonly seen: IdSet;
  private readonly maxReported: number;
  private readonly referenceTs: number;
  private readonly batch = {
    interactions: new InteractionColumns(1),
    exposures: new ExposureColumns(1),
  };
  private unremembered = 0;

  constructor(
    options: ValidateOptions & { readonly maxEventBytes: number },
    readonly out: (line: string) => void,
  ) {
    const { maxEventBytes, maxFutureMs = 0, mapping, files, lists } = options;
    const decoder = {
      maxFutureMs,
      maxEventBytes,
      ...(mapping !== undefined && { mapping }),
      ...(files !== undefined && { files }),
    };
    this.files = new FileEvents({
      decoder,
      maxEventBytes,
      lists,
    });
    this.seen = new IdSet(options.maxIds ?? 20_000_000);
    this.maxReported = options.maxReported ?? 100;
    this.referenceTs = options.referenceTs ?? Number.POSITIVE_INFINITY;
  }

  async read(path: string, onProgress: ValidateOptions['onProgress']): Promise<void> {
    if (!this.files.hasRowsOfLists(path)) {
      await this.files.flush(this.sink);
    }
    await this.files.read(path, {
      ...this.sink,
      onProgress,
    });
  }

  /** Complete the lists from rows after the last file. */
  async end(): Promise<void> {
    await this.files.flush(this.sink);
  }

  private get sink(): EventSink {
    const { batch, referenceTs, tables } = this;
    const clear = () => {
      batch.interactions.clear();
      batch.exposures.clear();
    };
    return {
      tables,
      columns: batch,
      referenceTs,
      take: (code, place, event) => {
        this.count(code, place, event);
        this.watch.take(batch.interactions, batch.exposures);
        clear();
        return undefined;
      },
      takeList: (code, event) => {
        // The rows of the list were already counted.
        this.counts.events--;
        this.count(code, () => 'a list of rows', event);
        this.watch.take(batch.interactions, batch.exposures);
        clear();
        return undefined;
      },
    };
  }

  private count(code: number, place: () => string, event: ReadEvent): void {
    const { counts } = this;
    counts.events++;
    if (code === IGNORED) {
      counts.ignored++;
    } else if (code !== ACCEPTED) {
      this.report(place(), FAULT_REASONS[code] as FaultReason, event.detail);
    } else {
      this.accept(place, event);
    }
  }

  summarize(): void {
    const { counts, out } = this;
    const hidden = counts.faulty - this.maxReported;
    if (hidden > 0) {
      out(`… and ${hidden} more`);
    }
    const reasons = Object.entries(counts.faults).sort(([a], [b]) => (a < b ? -1 : 1));
    for (const [reason, count] of reasons) {
      out(`${reason}: ${count}`);
    }
    if (this.unremembered > 0) {
      out(
        `${counted(this.unremembered, 'id')} not checked for duplicates, because there are too many ids to keep in memory`,
      );
    }
    for (const line of this.watch.warnings()) {
      out(`warning: ${line}`);
    }
    for (const [reading, count] of Object.entries(this.files.readings())) {
      out(`note: ${readingText(reading, count)}`);
    }
    const ignored = counts.ignored === 0 ? '' : `, ${counts.ignored} ignored`;
    out(
      `${counted(counts.events, 'event')} in ${counted(counts.files, 'file')}: ` +
        `${counted(counts.exposures, 'exposure')}, ${counted(counts.interactions, 'interaction')}${ignored}, ` +
        `${counts.faulty} invalid`,
    );
  }

  private accept(place: () => string, event: ReadEvent): void {
    const { counts } = this;
    const { interactions, exposures } = this.batch;
    // A row of a list has no result until the list is complete.
    if (interactions.length + exposures.length === 0) return;
    const isExposure = exposures.length > 0;
    const rows = isExposure ? exposures : interactions;
    const outcome = this.seen.add(rows.idHigh[0], rows.idLow[0]);
    // Each line of a basket counts as an event, and so does the list of a row that has both a list
    // and its interactions.
    counts.events += interactions.length + exposures.length - 1;
    if (outcome === 'repeated') {
      const id = JSON.stringify(event.eventId);
      this.report(place(), 'repeated_id', `an earlier event has the same id ${id}`);
      return;
    }
    if (outcome === 'no-room') {
      this.unremembered++;
    }
    counts.exposures += exposures.length;
    counts.interactions += interactions.length;
  }

  private report(place: string, reason: FaultReason | 'repeated_id', detail: string): void {
    const { counts } = this;
    counts.faults[reason] = (counts.faults[reason] ?? 0) + 1;
    if (counts.faulty++ < this.maxReported) {
      this.out(`${place}: ${reason}: ${detail}`);
    }
  }
}
