import { openLineWriter } from '../../adapters/files/lines/line-writer.js';
import type { Outcomes } from '../../stream/ingest/outcomes.js';
import type { Snapshot } from '../../stream/snapshot.js';
import type { GapReport } from '../../stream/why/why.js';

/** What a report is of. */
export interface Evaluated {
  readonly snapshot: Snapshot;
  /** What is behind its widest gaps; undefined where nobody asked. */
  readonly gaps?: readonly GapReport[] | undefined;
}

/**
 * Makes a snapshot, writes its report, and hands it on. The file appears complete or not at
 * all, and where it cannot be written, that is said before the work and not after it.
 *
 * @throws UnskewError FILE, or what `make` throws.
 */
export async function withReport(
  path: string | undefined,
  outcomes: Outcomes,
  make: () => Promise<Evaluated>,
  environment?: string,
): Promise<Evaluated> {
  if (path === undefined) return make();
  const file = await openLineWriter(path);
  try {
    const made = await make();
    const { snapshot, gaps } = made;
    const { reportHtml } = await import('../../report/report.js');
    await file.write(reportHtml(snapshot, 0, outcomes, environment, gaps).trimEnd());
    await file.close();
    return made;
  } catch (error) {
    await file.abort();
    throw error;
  }
}
