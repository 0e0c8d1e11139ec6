import { openChunks } from './file-chunks.js';

/** Format of a file: Parquet, a table as text (CSV, TSV), or lines of JSON. */
export type FileForm = 'parquet' | 'table' | 'lines';

const PACKED = /\.(gz|zst)$/i;
const FORMS: readonly (readonly [RegExp, FileForm])[] = [
  [/\.(parquet|parq|pq)$/i, 'parquet'],
  [/\.(csv|tsv|tab)$/i, 'table'],
  [/\.((nd)?jsonl?|dsjson)$/i, 'lines'],
];

/** File extensions of event files. */
export const EVENT_FILE = /\.(parquet|parq|pq|(csv|tsv|tab|(nd)?jsonl?|dsjson)(\.(gz|zst))?)$/i;

/** A file's name without the extensions of its format and compression: `a` for `a.csv.gz`. */
export function stemOf(path: string): string {
  const name = path.replace(PACKED, '');
  const form = FORMS.find(([pattern]) => pattern.test(name));
  return form === undefined ? name : name.replace(form[0], '');
}

/**
 * Determine the format of a file by its name, otherwise by its first bytes.
 *
 * @throws UnskewError FILE if the file must be read and cannot be
 */
export async function formOf(path: string): Promise<FileForm> {
  const name = path.replace(PACKED, '');
  const named = FORMS.find(([pattern]) => pattern.test(name))?.[1];
  // Standard input cannot be read twice.
  if (named !== undefined || path === '-') return named ?? 'lines';
  const chunks = await openChunks(path);
  try {
    const start = Buffer.from((await chunks.next()) ?? []).toString('latin1');
    if (start.startsWith('PAR1')) return 'parquet';
    const [first = ''] = start.split('\n', 1);
    return /^\s*[{[]/.test(start) || !/[,;\t|]|::/.test(first) ? 'lines' : 'table';
  } finally {
    await chunks.close();
  }
}
