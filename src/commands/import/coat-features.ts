import { join } from 'node:path';
import { openLineWriter } from '../../adapters/files/lines/line-writer.js';
import { readLines } from '../../adapters/files/lines/lines.js';
import { UnskewError } from '../../errors.js';
import { paddedId } from './coat.js';

/** Whose features: the names of the files, and what ids begin with. */
const SIDES = { users: ['user', 'u'], items: ['item', 'i'] } as const;

/**
 * Writes the features of Coat's users or items as a table: the id first, then a column of 0 and 1
 * for each feature, named as published. The ids are those of the imported events.
 *
 * @throws UnskewError FILE, with file and line, if one is missing, or malformed.
 */
export async function writeCoatFeatures(
  dir: string,
  side: keyof typeof SIDES,
  path: string,
): Promise<void> {
  const [name, prefix] = SIDES[side];
  const names = await linesOf(join(dir, `${name}_features_map.txt`));
  const file = join(dir, `${name}_features.ascii`);
  const rows = await linesOf(file);
  const idOf = paddedId(prefix, rows.length);
  const table = rows.map((row, index) => {
    const cells = row.split(/\s+/);
    if (cells.length === names.length && cells.every((cell) => /^[01]$/.test(cell))) {
      return `${idOf(index)},${cells.join(',')}`;
    }
    throw new UnskewError('FILE', `${file}:${index + 1}: expected ${names.length} times 0 or 1`);
  });
  const out = await openLineWriter(path);
  await out.write(['id', ...names].join(','));
  for (const line of table) await out.write(line);
  await out.close();
}

/** Lines without blanks around; empty ones are passed over. */
async function linesOf(path: string): Promise<string[]> {
  const lines: string[] = [];
  await readLines(path, (bytes, start, end) => {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('utf8');
    if (text.trim() !== '') lines.push(text.trim());
  });
  if (lines.length === 0) throw new UnskewError('FILE', `${path}: the file is empty`);
  return lines;
}
