import { openLineWriter } from '../../adapters/files/lines/line-writer.js';
import type { Outcomes } from '../../stream/ingest/outcomes.js';
import type { Snapshot } from '../../stream/snapshot.js';

/**
 * Makes a snapshot, writes its report, and hands the snapshot on. The file appears complete or not at
 * all, and where it cannot be written, that is said before the work and not after it.
 *
 * @throws UnskewError FILE, or what `make` throws.
 */
export async function withReport(
  path: string | undefined,
  outcomes: Outcomes,
  make: () => Promise<Snapshot>,
  environment?: string,
): Promise<Snapshot> {
  if (path === undefined) return make();
  const file = await openLineWriter(path);
  try {
    const snapshot = await make();
    const { reportHtml } = await import('../../report/report.js');
    await file.write(reportHtml(snapshot, 0, outcomes, environment).trimEnd());
    await file.close();
    return snapshot;
  } catch (error) {
    await file.abort();
    throw error;
  }
}
