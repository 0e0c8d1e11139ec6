import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import {
  type DatasetName,
  type ImportOptions,
  importDataset,
} from '../../../src/commands/import/import.js';
import type { ExposureEvent, InteractionEvent } from '../../../src/events/encode.js';

export type Exposure = ExposureEvent & { readonly ts: number };
export type Interaction = InteractionEvent & { readonly ts: number; readonly value: number };
export type Event = Exposure | Interaction;

export interface Imported {
  /** The train part where it was asked for, else empty. */
  readonly train: Event[];
  readonly events: Event[];
}

/** Imports into a temporary folder and reads the written files back. */
export async function imported(
  name: DatasetName,
  dir: string,
  options: Omit<ImportOptions, 'out' | 'trainOut'> & { apart?: boolean } = {},
): Promise<Imported> {
  const { apart = false, ...rest } = options;
  const folder = mkdtempSync(join(tmpdir(), 'import-'));
  try {
    const out = join(folder, 'events.ndjson.gz');
    const trainOut = join(folder, 'train.ndjson');
    await importDataset(name, dir, { ...rest, out, ...(apart ? { trainOut } : {}) });
    return {
      train: apart ? parsed(readFileSync(trainOut, 'utf8')) : [],
      events: parsed(gunzipSync(readFileSync(out)).toString('utf8')),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export const isExposure = (event: Event): event is Exposure => event.type === 'exposure';
export const isInteraction = (event: Event): event is Interaction => event.type === 'interaction';

export const isInTimeOrder = (events: readonly Event[]) =>
  events.every(({ ts }, i) => i === 0 || ts >= events[i - 1].ts);

function parsed(text: string): Event[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}
