/** A stretch of panes whose scores speak for a change; it restarts where they no longer do. */
export interface Excursion {
  /** Cumulated evidence, ≥ 0. */
  evidence: number;
  /** Event time, ms: start of its first pane. */
  since: number;
  /** Scores in it and their sum. */
  panes: number;
  sum: number;
}

export function newExcursion(): Excursion {
  return { evidence: 0, since: 0, panes: 0, sum: 0 };
}

/**
 * Adds a pane's increment, C = max(0, C + increment): Page's recursion. An excursion without
 * evidence starts again with the pane.
 */
export function extend(excursion: Excursion, increment: number, z: number, from: number): void {
  if (excursion.evidence <= 0) {
    excursion.since = from;
    excursion.panes = 0;
    excursion.sum = 0;
  }
  excursion.evidence = Math.max(0, excursion.evidence + increment);
  excursion.panes++;
  excursion.sum += z;
}

/** What a detector holds after a pane. */
export interface Evidence {
  readonly score: number;
  /** Event time, ms: where the change began, if there is one. */
  readonly since: number;
  /** Mean score since then: the standardised change. */
  readonly size: number | null;
}

export function evidenceOf(score: number, { since, panes, sum }: Excursion): Evidence {
  return { score, since, size: panes === 0 ? 0 : sum / panes };
}
