import type { EventFiles } from '../files/event-files.js';
import type { ModelLists } from './model-lists.js';
import type { SplitOptions } from './split.js';

/** What an importer of one data set is given; the options are checked. */
export interface ImportTask {
  /** The folder with the files as they are published. */
  readonly dir: string;
  /** Of a data set that has several. */
  readonly campaign: string | undefined;
  readonly files: EventFiles;
  readonly split: SplitOptions;
  readonly listLength: number;
  /** Of learned models, beside those of the two rankers. */
  readonly models: ModelLists;
  readonly onProgress: (done: number, total: number) => void;
}
