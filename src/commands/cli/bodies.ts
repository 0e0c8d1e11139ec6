import type { LoadedConfig } from '../../config.js';
import type { DoctorOptions } from '../doctor/doctor.js';
import type { ExportOptions } from '../export/export.js';
import type { RemakeOptions, verifyExport } from '../export/remake.js';
import type { simulate } from '../files/simulate.js';
import type { validateFiles } from '../files/validate.js';
import type { importDataset } from '../import/import.js';
import type { propensities } from '../propensities/propensities.js';
import type { exportState } from '../state/export-state.js';
import type { ImportStateOptions } from '../state/import-state.js';
import type { inspectState } from '../state/inspect.js';
import type { verifyState } from '../state/verify.js';
import type { train } from '../train/train.js';
import type { CommandIo, LoggedIo, ProgramIo } from './io.js';
import type { DemoOptions, EvaluateOptions, ReplayOptions } from './options.js';

/** What the commands do once their flags are read. */
export interface CommandBodies {
  serve(loaded: LoadedConfig, io: ProgramIo): Promise<void>;
  intake(loaded: LoadedConfig, io: ProgramIo): Promise<void>;
  doctor(options: DoctorOptions, io: ProgramIo): Promise<void>;
  demo(options: DemoOptions, io: ProgramIo): Promise<void>;
  replay(options: ReplayOptions, io: CommandIo): Promise<void>;
  evaluate(options: EvaluateOptions, io: CommandIo): Promise<void>;
  exportSet(options: ExportOptions, io: ProgramIo): Promise<void>;
  remakeSet(options: RemakeOptions, io: ProgramIo): Promise<void>;
  readonly verifyExport: typeof verifyExport;
  readonly propensities: typeof propensities;
  readonly simulate: typeof simulate;
  readonly importDataset: typeof importDataset;
  readonly validateFiles: typeof validateFiles;
  readonly train: typeof train;
  readonly inspectState: typeof inspectState;
  readonly verifyState: typeof verifyState;
  readonly exportState: typeof exportState;
  importState(options: ImportStateOptions, io: ProgramIo): Promise<void>;
}

/** Each body is loaded when it is called, so that `--help` does not wait for a Kafka client. */
export const BODIES: CommandBodies = {
  serve: async ({ config, warnings, entries }, io) => {
    const logged = await withLog(io);
    logged.log.level = config.log.level;
    for (const warning of warnings) logged.log.warn(warning);
    await (await import('../service/serve.js')).serve(config, logged, { entries });
  },
  intake: async ({ config, warnings }, io) => {
    const logged = await withLog(io);
    logged.log.level = config.log.level;
    for (const warning of warnings) logged.log.warn(warning);
    await (await import('../service/intake.js')).intake(config, logged);
  },
  doctor: async (options, io) => {
    const logged = await withLog(io);
    logged.log.level = 'warn';
    await (await import('../doctor/doctor.js')).doctor(options, logged);
  },
  demo: async (options, io) =>
    (await import('../service/demo.js')).demo(options, await withLog(io)),
  replay: async (...given) => (await import('../files/replay.js')).replay(...given),
  evaluate: async (...given) => (await import('../files/evaluate.js')).evaluate(...given),
  exportSet: async (options, io) =>
    (await import('../export/export.js')).exportSet(options, await withLog(io)),
  remakeSet: async (options, io) =>
    (await import('../export/remake.js')).remakeSet(options, await withLog(io)),
  verifyExport: async (...given) => (await import('../export/remake.js')).verifyExport(...given),
  propensities: async (...given) =>
    (await import('../propensities/propensities.js')).propensities(...given),
  simulate: async (...given) => (await import('../files/simulate.js')).simulate(...given),
  importDataset: async (...given) => (await import('../import/import.js')).importDataset(...given),
  validateFiles: async (...given) => (await import('../files/validate.js')).validateFiles(...given),
  train: async (...given) => (await import('../train/train.js')).train(...given),
  inspectState: async (...given) => (await import('../state/inspect.js')).inspectState(...given),
  verifyState: async (...given) => (await import('../state/verify.js')).verifyState(...given),
  exportState: async (...given) => (await import('../state/export-state.js')).exportState(...given),
  importState: async (options, io) =>
    (await import('../state/import-state.js')).importState(options, await withLog(io)),
};

async function withLog(io: ProgramIo): Promise<LoggedIo> {
  return { ...io, log: await io.openLog() };
}
