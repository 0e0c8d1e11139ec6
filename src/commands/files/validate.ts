import { isCsv, readCsvEvents } from '../../adapters/files/csv-events.js';
import { readLines } from '../../adapters/files/lines.js';
import { EventTable, isParquet } from '../../adapters/parquet/event-table.js';
import { ExposureColumns, type IdTable, InteractionColumns } from '../../events/columns.js';
import { Decoder } from '../../events/decode.js';
import { ACCEPTED, FAULT_REASONS, type FaultReason, IGNORED } from '../../events/fault.js';
import { IdSet } from '../../events/id-log.js';
import type { Mapping } from '../../events/mapping/mapping.js';
import { RowDecoder } from '../../events/row-decoder.js';

export interface ValidateOptions {
  /** Largest event in bytes; 1 MiB by default. */
  readonly maxEventBytes?: number;
  /** How far after `referenceTs` an event may lie, ms; 0 by default. */
  readonly maxFutureMs?: number;
  /** What the future is judged by (ms); without it no event is too far ahead. */
  readonly referenceTs?: number;
  /** For files of a foreign schema. */
  readonly mapping?: Mapping;
  /** How many faults are written out; the rest are counted. 100 by default. */
  readonly maxReported?: number;
  /** How many distinct event ids are kept to find repeats; 20 million by default. */
  readonly maxIds?: number;
  readonly onProgress?: (path: string, bytesRead: number, totalBytes: number) => void;
}

export interface ValidateCounts {
  files: number;
  /** Lines that hold an event or should: all but blank ones. */
  events: number;
  exposures: number;
  interactions: number;
  /** Events of a kind that the mapping passes over. */
  ignored: number;
  /** All faulty events; a repeated id counts as one. */
  faulty: number;
  readonly faults: Partial<Record<FaultReason | 'repeated_id', number>>;
}

const DEFAULT_MAX_EVENT_BYTES = 1024 * 1024;
const NO_IDS: IdTable = { intern: () => 0 };
const NO_TABLES = { users: NO_IDS, items: NO_IDS, models: NO_IDS };

/**
 * Checks event files line by line and says what is wrong and where: `file:line: reason: detail`,
 * then a line for each reason and one for the whole.
 *
 * Memory is bounded whatever the files' size: nothing is kept but 64-bit hashes of event ids, and
 * of these at most `maxIds`.
 *
 * @param out  takes one line of text, without a line end
 * @throws UnskewError FILE if a file cannot be read, USAGE if the mapping is wrong
 */
export async function validateFiles(
  paths: readonly string[],
  options: ValidateOptions,
  out: (line: string) => void,
): Promise<ValidateCounts> {
  const { onProgress, maxEventBytes = DEFAULT_MAX_EVENT_BYTES } = options;
  const validator = new Validator({ ...options, maxEventBytes }, out);
  for (const path of paths) {
    validator.counts.files++;
    if (isParquet(path)) {
      await validator.checkTable(path, onProgress);
      continue;
    }
    if (isCsv(path)) {
      await validator.checkCsv(path, onProgress);
      continue;
    }
    await readLines(
      path,
      (bytes, start, end, line) => validator.check(bytes, start, end, `${path}:${line}`),
      {
        maxLineBytes: maxEventBytes,
        ...(onProgress && { onProgress: (read, total) => onProgress(path, read, total) }),
      },
    );
  }
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
  private readonly decoder: Decoder;
  private readonly rowDecoder: RowDecoder;
  private readonly seen: IdSet;
  private readonly maxReported: number;
  private readonly maxEventBytes: number;
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
    const { maxEventBytes, maxFutureMs = 0, mapping } = options;
    this.maxEventBytes = maxEventBytes;
    const decoding = {
      maxFutureMs,
      maxEventBytes,
      ...(mapping !== undefined && { mapping }),
    };
    this.decoder = new Decoder(decoding);
    this.rowDecoder = new RowDecoder(decoding);
    this.seen = new IdSet(options.maxIds ?? 20_000_000);
    this.maxReported = options.maxReported ?? 100;
    this.referenceTs = options.referenceTs ?? Number.POSITIVE_INFINITY;
  }

  check(bytes: Uint8Array, start: number, end: number, place: string): void {
    if (isBlank(bytes, start, end)) return;
    const { batch, decoder } = this;
    batch.interactions.clear();
    batch.exposures.clear();
    const code = decoder.decode(bytes, start, end, 'mixed', this.referenceTs, NO_TABLES, batch);
    this.count(
      code,
      () => place,
      decoder,
      () => decoder.eventId,
    );
  }

  async checkTable(path: string, onProgress: ValidateOptions['onProgress']): Promise<void> {
    const { batch, rowDecoder } = this;
    const table = await EventTable.open(path, rowDecoder.mapping);
    const total = table.groups.reduce((sum, { bytes }) => sum + bytes, 0);
    let read = 0;
    let before = 0;
    let row = 0;
    // Made once: most rows never ask.
    const place = () => `${path}:${before + row + 1}`;
    const eventId = () => rowDecoder.eventId(row);
    try {
      for (const [group, { bytes }] of table.groups.entries()) {
        const rows = await table.read(group);
        rowDecoder.take(rows);
        for (row = 0; row < rows.length; row++) {
          batch.interactions.clear();
          batch.exposures.clear();
          const code = rowDecoder.decode(row, this.referenceTs, NO_TABLES, batch);
          this.count(code, place, rowDecoder, eventId);
        }
        before += rows.length;
        read += bytes;
        onProgress?.(path, read, total);
      }
    } finally {
      await table.close();
    }
  }

  checkCsv(path: string, onProgress: ValidateOptions['onProgress']): Promise<void> {
    const { batch, decoder, maxEventBytes: maxRowBytes } = this;
    const eventId = () => decoder.eventId;
    const options = {
      maxRowBytes,
      onProgress: onProgress && ((read: number, total: number) => onProgress(path, read, total)),
    };
    return readCsvEvents(path, decoder.mapping, options, (event, role, row) => {
      batch.interactions.clear();
      batch.exposures.clear();
      const code = decoder.decodeFields(event, role, this.referenceTs, NO_TABLES, batch);
      this.count(code, () => `${path}:${row}`, decoder, eventId);
    });
  }

  private count(
    code: number,
    place: () => string,
    decoder: Pick<Decoder, 'detail' | 'kind'>,
    eventId: () => string,
  ): void {
    const { counts } = this;
    counts.events++;
    if (code === IGNORED) {
      counts.ignored++;
    } else if (code !== ACCEPTED) {
      this.report(place(), FAULT_REASONS[code] as FaultReason, decoder.detail);
    } else {
      this.accept(place, decoder.kind, eventId);
    }
  }

  summarize(): void {
    const { counts, out } = this;
    const hidden = counts.faulty - this.maxReported;
    if (hidden > 0) out(`… and ${hidden} more`);
    const reasons = Object.entries(counts.faults).sort(([a], [b]) => (a < b ? -1 : 1));
    for (const [reason, count] of reasons) out(`${reason}: ${count}`);
    if (this.unremembered > 0) {
      out(
        `${this.unremembered} ids came after the limit of ids kept and were not checked for repeats`,
      );
    }
    const ignored = counts.ignored === 0 ? '' : `, ${counts.ignored} ignored`;
    out(
      `${counts.events} events in ${counts.files} file${counts.files === 1 ? '' : 's'}: ` +
        `${counts.exposures} exposures, ${counts.interactions} interactions${ignored}, ` +
        `${counts.faulty} faulty`,
    );
  }

  private accept(place: () => string, kind: Decoder['kind'], eventId: () => string): void {
    const { counts } = this;
    const { interactions, exposures } = this.batch;
    const rows = kind === 'exposure' ? exposures : interactions;
    const outcome = this.seen.add(rows.idHigh[0], rows.idLow[0]);
    // Of a basket each line counts.
    counts.events += Math.max(0, rows.length - 1);
    if (outcome === 'repeated') {
      const id = JSON.stringify(eventId());
      this.report(place(), 'repeated_id', `an event with the id ${id} came before`);
      return;
    }
    if (outcome === 'no-room') this.unremembered++;
    if (kind === 'exposure') counts.exposures++;
    else counts.interactions += rows.length;
  }

  private report(place: string, reason: FaultReason | 'repeated_id', detail: string): void {
    const { counts } = this;
    counts.faults[reason] = (counts.faults[reason] ?? 0) + 1;
    if (counts.faulty++ < this.maxReported) this.out(`${place}: ${reason}: ${detail}`);
  }
}

function isBlank(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    if (bytes[at] !== 0x20 && bytes[at] !== 0x09 && bytes[at] !== 0x0d) return false;
  }
  return true;
}
