import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileError } from '../../adapters/files/file-error.js';
import { openLineWriter } from '../../adapters/files/line-writer.js';
import { UnskewError } from '../../errors.js';
import type { PropensityFigures } from '../../estimators/propensity/propensity-figures.js';
import type { PropensityModel } from '../../estimators/propensity/propensity-file.js';
import type { PropensityStamp } from '../../estimators/propensity/used-propensities.js';
import { checkContent } from './stored-shape.js';

export const PROPENSITIES_SCHEMA = 'unskew/propensities@1';

export interface StoredPropensities extends PropensityStamp {
  readonly schema: typeof PROPENSITIES_SCHEMA;
  readonly counts: {
    readonly users: number;
    readonly items: number;
    readonly pairs: number;
    readonly chosen: number;
    readonly random: number;
  };
  readonly figures: PropensityFigures;
  readonly model: PropensityModel;
}

/** A file's content without what follows from the rest of it. */
export type PropensityContent = Omit<StoredPropensities, 'schema' | 'version'>;

export function stamped(content: PropensityContent): StoredPropensities {
  return { schema: PROPENSITIES_SCHEMA, version: versionOf(content), ...content };
}

/**
 * Writes a file of propensities, whole or not at all; one of the name stays until then.
 *
 * @throws UnskewError FILE
 */
export async function writePropensities(path: string, stored: StoredPropensities): Promise<void> {
  const file = await openLineWriter(path);
  try {
    await file.write(JSON.stringify(stored));
    await file.close();
  } catch (error) {
    await file.abort();
    throw error;
  }
}

/** @throws UnskewError FILE if it cannot be read, is of another schema, or was changed. */
export async function readPropensities(path: string): Promise<StoredPropensities> {
  return propensitiesIn(await propensityBytes(path), path);
}

/** A file as it lies on the disk. @throws UnskewError FILE */
export function propensityBytes(path: string): Promise<Buffer> {
  return readFile(path).catch((error: unknown) => {
    throw fileError('read', path, error);
  });
}

/** What a file of these bytes holds. @throws UnskewError FILE as `readPropensities` */
export function propensitiesIn(bytes: Buffer, path: string): StoredPropensities {
  const text = bytes.toString('utf8');
  const refuse = (what: string): never => {
    throw new UnskewError('FILE', `${path}: ${what}`);
  };
  let found: Partial<StoredPropensities>;
  try {
    found = JSON.parse(text) as Partial<StoredPropensities>;
  } catch {
    return refuse('not a file of `unskew propensities`');
  }
  if (found?.schema !== PROPENSITIES_SCHEMA) {
    return refuse(
      `not a file of \`unskew propensities\`, which is of schema ${PROPENSITIES_SCHEMA}`,
    );
  }
  const { schema: _schema, version, ...content } = found;
  if (version !== writtenVersion(text) && version !== versionOf(content as PropensityContent)) {
    return refuse('it was changed or cut short: its content is not that of its version');
  }
  checkContent(content, refuse);
  return found as StoredPropensities;
}

function versionOf(content: PropensityContent): string {
  return hashed(JSON.stringify(content));
}

/** The version of a file that is as it was written: without its content being written once more. */
function writtenVersion(text: string): string | undefined {
  const head = /^\{"schema":"[^"]*","version":"[^"]*",/.exec(text)?.[0];
  return head && hashed(`{${text.slice(head.length).trimEnd()}`);
}

function hashed(content: string): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 16);
}
