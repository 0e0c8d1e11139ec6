import type { Config } from '../config.js';
import type { remakeSet, verifyExport } from './export/remake.js';
import type { exportSet } from './export.js';
import type { importDataset } from './import.js';
import type { CommandIo } from './io.js';
import type { DemoOptions, EvaluateOptions, ReplayOptions } from './options.js';
import type { simulate } from './simulate.js';
import type { validateFiles } from './validate.js';

/** What the commands do once their flags are read. */
export interface CommandBodies {
  serve(config: Config, io: CommandIo): Promise<void>;
  demo(options: DemoOptions, io: CommandIo): Promise<void>;
  replay(options: ReplayOptions, io: CommandIo): Promise<void>;
  evaluate(options: EvaluateOptions, io: CommandIo): Promise<void>;
  readonly exportSet: typeof exportSet;
  readonly remakeSet: typeof remakeSet;
  readonly verifyExport: typeof verifyExport;
  readonly simulate: typeof simulate;
  readonly importDataset: typeof importDataset;
  readonly validateFiles: typeof validateFiles;
}

/** Each body is loaded when it is called, so that `--help` does not wait for a Kafka client. */
export const BODIES: CommandBodies = {
  serve: async (...given) => (await import('./serve.js')).serve(...given),
  demo: async (...given) => (await import('./demo.js')).demo(...given),
  replay: async (...given) => (await import('./replay.js')).replay(...given),
  evaluate: async (...given) => (await import('./evaluate.js')).evaluate(...given),
  exportSet: async (...given) => (await import('./export.js')).exportSet(...given),
  remakeSet: async (...given) => (await import('./export/remake.js')).remakeSet(...given),
  verifyExport: async (...given) => (await import('./export/remake.js')).verifyExport(...given),
  simulate: async (...given) => (await import('./simulate.js')).simulate(...given),
  importDataset: async (...given) => (await import('./import.js')).importDataset(...given),
  validateFiles: async (...given) => (await import('./validate.js')).validateFiles(...given),
};
