import { openChunks } from './file-chunks.js';

/** What a file is: a Parquet file, a table as text (CSV, TSV), or lines of JSON. */
export type FileForm = 'parquet' | 'table' | 'lines';

const PACKED = /\.(gz|zst)$/i;
const FORMS: readonly (readonly [RegExp, FileForm])[] = [
  [/\.(parquet|parq|pq)$/i, 'parquet'],
  [/\.(csv|tsv|tab)$/i, 'table'],
  [/\.((nd)?jsonl?|dsjson)$/i, 'lines'],
];

/** Ends of names that event files have. */
export const EVENT_FILE = /\.(parquet|parq|pq|(csv|tsv|tab|(nd)?jsonl?|dsjson)(\.(gz|zst))?)$/i;

/** A file's name without what says its form, so that the same events in another form have the same. */
export function stemOf(path: string): string {
  const name = path.replace(PACKED, '');
  const form = FORMS.find(([pattern]) => pattern.test(name));
  return form === undefined ? name : name.replace(form[0], '');
}

/**
 * The form of a file, by its name; where that does not say, by its first bytes.
 *
 * @throws UnskewError FILE if the file has to be read for it and cannot be
 */
export async function formOf(path: string): Promise<FileForm> {
  const name = path.replace(PACKED, '');
  const named = FORMS.find(([pattern]) => pattern.test(name))?.[1];
  // What is piped in cannot be looked at before it is read.
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
