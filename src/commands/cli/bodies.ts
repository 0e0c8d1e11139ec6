import type { Role } from '../../config/roles.js';
import type { LoadedConfig } from '../../config.js';
import type { LoggedIo, ProgramIo } from './io.js';

export interface ServeFlags {
  readonly popularityFrom?: string;
  readonly role?: Role;
}

/** What each command runs, loaded on demand, so that `--help` does not load a Kafka client. */
export const BODIES = {
  serve: async (loaded: LoadedConfig, io: ProgramIo, flags: ServeFlags = {}) => {
    const logged = await withWarnings(loaded, io);
    const { serve } = await import('../service/serve.js');
    await serve(loaded.config, logged, {
      entries: loaded.entries,
      ...flags,
    });
  },
  intake: async (loaded: LoadedConfig, io: ProgramIo) => {
    const logged = await withWarnings(loaded, io);
    await (await import('../service/intake.js')).intake(loaded.config, logged);
  },
  doctor: logging(async () => (await import('../doctor/doctor.js')).doctor, 'warn'),
  demo: logging(async () => (await import('../service/demo.js')).demo),
  replay: later(async () => (await import('../files/replay.js')).replay),
  evaluate: later(async () => (await import('../files/evaluate.js')).evaluate),
  backfill: later(async () => (await import('../service/backfill.js')).backfill),
  rowFiles: later(async () => (await import('../files/read-rows.js')).rowFiles),
  exportSet: logging(async () => (await import('../export/export.js')).exportSet),
  remakeSet: logging(async () => (await import('../export/remake.js')).remakeSet),
  verifyExport: later(async () => (await import('../export/remake.js')).verifyExport),
  propensities: later(async () => (await import('../propensities/propensities.js')).propensities),
  simulate: later(async () => (await import('../files/simulate.js')).simulate),
  importDataset: later(async () => (await import('../import/import.js')).importDataset),
  validateFiles: later(async () => (await import('../files/validate.js')).validateFiles),
  train: later(async () => (await import('../train/train.js')).train),
  inspectState: later(async () => (await import('../state/inspect.js')).inspectState),
  verifyState: later(async () => (await import('../state/verify.js')).verifyState),
  exportState: later(async () => (await import('../state/export-state.js')).exportState),
  forget: logging(async () => (await import('../state/forget.js')).forget),
  importState: logging(async () => (await import('../state/import-state.js')).importState),
} as const;

export type CommandBodies = typeof BODIES;

/** Context that every command receives. */
export interface ProgramContext {
  readonly io: ProgramIo;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly bodies: CommandBodies;
}

function later<Given extends unknown[], Result>(
  load: () => Promise<(...given: Given) => Promise<Result>>,
) {
  return async (...given: Given): Promise<Result> => (await load())(...given);
}

/**
 * Wrap a command that logs. When it runs, the command is loaded and the log is opened. `level` is
 * the log level of this command, if it has one of its own.
 */
function logging<Options>(
  load: () => Promise<(options: Options, io: LoggedIo) => Promise<void>>,
  level?: string,
) {
  return async (options: Options, io: ProgramIo): Promise<void> => {
    const body = await load();
    await body(options, await withLog(io, level));
  };
}

async function withWarnings({ config, warnings }: LoadedConfig, io: ProgramIo): Promise<LoggedIo> {
  const logged = await withLog(io, config.log.level);
  for (const warning of warnings) {
    logged.log.warn(warning);
  }
  return logged;
}

async function withLog(io: ProgramIo, level?: string): Promise<LoggedIo> {
  const log = await io.openLog();
  if (level !== undefined) {
    log.level = level;
  }
  return {
    ...io,
    log,
  };
}
