import { FolderSpill } from '../../adapters/files/row-spill.js';
import { ParquetEncoder } from '../../adapters/parquet/parquet.js';
import { UnskewError } from '../../errors.js';
import { drawSet } from '../../export/draw-set.js';
import { SetIds } from '../../export/hashed-ids.js';
import { SetIntake } from '../../export/intake.js';
import {
  type ListedFile,
  MANIFEST_SCHEMA,
  type Manifest,
  summarised,
} from '../../export/manifest.js';
import type { SetDraft, SetFile, SetStorage } from '../../export/ports.js';
import { RowStore } from '../../export/row-store.js';
import {
  CsvEncoder,
  NdjsonEncoder,
  type RowSink,
  type SetEncoder,
} from '../../export/set-encoder.js';
import type { Format, SetPlan } from '../../export/set-plan.js';
import type { SetSummary } from '../../export/set-summary.js';
import { setReportHtml } from '../../outputs/report/set-report.js';
import { startProgress } from '../../outputs/text/progress.js';
import type { LoggedIo } from '../cli/io.js';
import { packageVersion } from '../cli/version.js';
import type { SetReader } from './file-reader.js';
import type { SetPropensities } from './set-propensities.js';

export interface SetRequest {
  readonly plan: SetPlan;
  readonly events: Manifest['events'];
  readonly reader: SetReader;
  /** Propensities from the file that the plan names; undefined if the plan names no file. */
  readonly propensities?: SetPropensities | undefined;
  readonly storage: SetStorage;
  /** Name of the set in the storage. */
  readonly name: string;
  /** Most bytes of rows in memory; more rows are written to disk. */
  readonly memoryBytes: number;
  /** Manifest of an earlier set, of which the new one must be an exact copy. */
  readonly expected?: Manifest;
  readonly io: LoggedIo;
  readonly onStep?: (step: string, done: number, total: number) => void;
  /** Called right before the set appears; a rejected promise prevents that. */
  readonly mayCommit?: () => Promise<void>;
}

/**
 * Read events, draw a test set from them and store it. The set appears complete or not at all.
 *
 * @throws UnskewError SET, FILE, BROKER or INTERRUPTED; after an error nothing remains under the
 * set's name.
 */
export async function makeSet(request: SetRequest): Promise<Manifest> {
  const { plan, reader, propensities, storage, name, memoryBytes, io } = request;
  // Done first, so that a place that cannot be written is reported before the work.
  const draft = await storage.create(name);
  const store = new RowStore(memoryBytes, () => FolderSpill.open());
  try {
    const ids = new SetIds();
    const intake = new SetIntake(store, ids, plan);
    const { sources, counts } = await reader.read(intake, ids);
    const set = await OpenFile.begin(draft, plan.part, plan.format);
    const train = plan.withTrain ? await OpenFile.begin(draft, 'train', plan.format) : undefined;
    const steps = stepProgress(request, io);
    const sinks = train === undefined ? { set } : { set, train };
    const { learned } = propensities ?? {};
    const drawing = drawSet(store, ids, plan, sinks, steps.onStep, learned);
    const summary = await drawing.finally(steps.stop);
    const files: ListedFile[] = [
      {
        role: 'set',
        ...(await set.end()),
      },
    ];
    if (train !== undefined) {
      files.push({
        role: 'train',
        ...(await train.end()),
      });
    }
    const made: Omit<Manifest, 'files'> = {
      schema: MANIFEST_SCHEMA,
      version: packageVersion(),
      plan,
      events: request.events,
      sources: propensities === undefined ? sources : [...sources, propensities.source],
      ...summarised(
        {
          ...counts,
          outsideRange: intake.outsideRange,
          interactions: intake.taken,
        },
        summary,
      ),
    };
    files.push(await writeReport(draft, made, summary));
    const manifest: Manifest = {
      ...made,
      files,
    };
    if (request.expected !== undefined) {
      requireSame(manifest, request.expected);
    }
    await request.mayCommit?.();
    await draft.commit(`${JSON.stringify(manifest, null, 2)}\n`);
    return manifest;
  } catch (error) {
    // Throw the original error, even if the clean-up fails too.
    await draft.abort().catch((cause: unknown) => {
      io.log.warn(
        {
          err: cause,
          set: name,
        },
        'cannot remove the unfinished files of the set',
      );
    });
    throw error;
  } finally {
    await store.close();
  }
}

/** Write the HTML report of a set. */
async function writeReport(
  draft: SetDraft,
  made: Omit<Manifest, 'files'>,
  { lorenz }: SetSummary,
): Promise<ListedFile> {
  const file = await draft.file('report.html');
  await file.write(new TextEncoder().encode(setReportHtml(made, lorenz)));
  return {
    role: 'report',
    ...(await file.close()),
  };
}

/** Compare a set with an earlier one. @throws UnskewError SET if a file differs */
function requireSame(made: Manifest, expected: Manifest): void {
  const found = new Map(made.files.map((file) => [file.name, file.sha256]));
  const different = expected.files.filter(({ name, sha256 }) => found.get(name) !== sha256);
  if (different.length === 0) return;
  const versions =
    made.version === expected.version
      ? ''
      : `; it was made by version ${expected.version}, this is ${made.version}`;
  const names = different.map(({ name }) => name).join(', ');
  throw new UnskewError('SET', `these files differ from the manifest: ${names}${versions}`);
}

/** Report the progress of drawing a set. When the process is asked to stop, end the drawing. */
function stepProgress({ onStep }: SetRequest, io: LoggedIo) {
  let shown:
    | {
        step: string;
        progress: ReturnType<typeof startProgress>;
      }
    | undefined;
  return {
    onStep: (step: string, done: number, total: number) => {
      if (io.signal.aborted) throw new UnskewError('INTERRUPTED', 'interrupted');
      if (shown?.step !== step) {
        shown?.progress.stop();
        shown = {
          step,
          progress: startProgress(step, io),
        };
      }
      shown.progress.update(done, total);
      onStep?.(step, done, total);
    },
    stop: () => shown?.progress.stop(),
  };
}

/** Writes rows to a file of a set in the set's format. */
class OpenFile implements RowSink {
  private constructor(
    private readonly file: SetFile,
    private readonly encoder: SetEncoder,
  ) {}

  static async begin(draft: SetDraft, base: string, format: Format): Promise<OpenFile> {
    const file = new OpenFile(await draft.file(`${base}.${format}`), encoderOf(format));
    await file.file.write(file.encoder.head());
    return file;
  }

  write(rows: Parameters<RowSink['write']>[0]): Promise<void> {
    return this.file.write(this.encoder.rows(rows));
  }

  async end() {
    await this.file.write(this.encoder.tail());
    return this.file.close();
  }
}

function encoderOf(format: Format): SetEncoder {
  if (format === 'parquet') return new ParquetEncoder(packageVersion());
  return format === 'csv' ? new CsvEncoder() : new NdjsonEncoder();
}
