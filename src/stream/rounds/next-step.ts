import { type CutTable, isSameCut } from './cut-table.js';
import type { RoundLedger } from './round-ledger.js';
import type { Cut, PaneCut, Restart } from './round-record.js';

/** A partition that the group has given to this worker. */
export interface OwnPartition {
  readonly partition: number;
  readonly nonce: string;
  /** Whether that claim has ever stood. */
  readonly wasClaimed: boolean;
  /** The newest pane that its state has closed; −Infinity before the first. */
  readonly closed: number;
  /** Where the state closed a pane that was not concluded when it did. */
  cutOf(pane: number): Cut | undefined;
  /** The earliest pane after the one that is closed which holds anything, as far as it is known. */
  readonly knowsNext: boolean;
}

/** What a worker knows beside the log. */
export interface OwnKnowledge {
  /** What its numbers are computed by. */
  readonly algorithm: string;
  /** The newest pane that it has seen concluded, in any log, or loaded as a checkpoint. */
  readonly settled: number;
  /** Cuts that checkpoints name, and logs that are no more. */
  readonly memory: CutTable;
}

/** What a worker has to do next for one of its partitions. */
export type Step =
  | { readonly kind: 'claim'; readonly over: string }
  /** All workers of a log compute alike; this one does not. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** The state is not what the log says, or too old for it. It begins at a checkpoint. */
  | { readonly kind: 'reload' }
  /** Close the pane: at the cut, if there is one; else when its time has come. */
  | { readonly kind: 'close'; readonly pane: number; readonly cut: Cut | undefined }
  | { readonly kind: 'base'; readonly pane: number }
  | { readonly kind: 'closing'; readonly pane: number }
  | { readonly kind: 'sums'; readonly pane: number; readonly round: number }
  | { readonly kind: 'wait' };

/**
 * What a worker has to restart the log with, if it says less than the worker knows: for one that has
 * read it to its end. Where the log cannot be read from its beginning, nor from a note, it ends
 * whatever stands.
 */
export function restartDue(
  ledger: RoundLedger,
  { settled, memory }: OwnKnowledge,
): Omit<Restart, 'kind' | 'nonce'> | undefined {
  if (!ledger.isBlind && ledger.known >= settled) return undefined;
  const over = ledger.isBlind ? null : ledger.epoch;
  return { over, pane: settled, cuts: memory.all, note: ledger.note ?? null };
}

const WAIT: Step = { kind: 'wait' };

/**
 * What the worker has to do: the same as long as neither log nor state has changed. What it has
 * appended and does not read after a while it appends again, though the log has confirmed it:
 * a log may lose an end that nobody has read.
 */
export function nextStep(ledger: RoundLedger, own: OwnPartition, worker: OwnKnowledge): Step {
  const { partition, nonce } = own;
  const { algorithm, settled } = worker;
  const claim = ledger.claimOf(partition);
  // It has not read as far yet, or the log was cut short and is to be restarted.
  if (ledger.isBlind || (!ledger.isGathering && ledger.known < settled)) return WAIT;
  if (ledger.algorithm !== undefined && ledger.algorithm !== algorithm && !ledger.isFree) {
    return { kind: 'refused', reason: refusal(ledger.algorithm, algorithm) };
  }
  if (claim !== nonce) {
    return own.wasClaimed ? { kind: 'reload' } : { kind: 'claim', over: claim ?? '' };
  }
  const through = ledger.isGathering ? Math.max(ledger.target, settled) : ledger.concluded;
  // Where panes were closed is not known of those that two newer checkpoints are past.
  const isOutdated = own.closed < Math.min(ledger.floor, through);
  if (isOutdated || !agrees(ledger, own, worker)) return { kind: 'reload' };
  if (own.closed < through) return catchUp(ledger, own, worker, through);
  if (ledger.isGathering) return gather(ledger, own, through);
  return turn(ledger, own);
}

/** Why a worker may not take part. */
function refusal(theirs: string, own: string): string {
  return `the log of rounds is of workers that compute by ${theirs}, and this one computes by ${own}: stop them all first`;
}

/** Whether panes were closed where the log says. */
function agrees(ledger: RoundLedger, own: OwnPartition, worker: OwnKnowledge): boolean {
  const { partition, closed } = own;
  if (!ledger.isGathering && closed > ledger.pane) return false;
  const [known, cut] = [cutAt(ledger, worker, closed, partition), own.cutOf(closed)];
  if (known === undefined || cut === undefined || isSameCut(known.cut, cut)) return true;
  // A pane that is concluded here holds against one that was under way elsewhere.
  return closed <= worker.settled && !known.isConcluded;
}

/** While a log gathers, what this worker remembers and nobody has written yet counts too. */
function cutAt(
  ledger: RoundLedger,
  { memory }: OwnKnowledge,
  pane: number,
  partition: number,
): PaneCut | undefined {
  const known = ledger.cut(pane, partition);
  if (!ledger.isGathering || known?.isConcluded) return known;
  const remembered = memory.at(pane, partition);
  return remembered?.isConcluded ? remembered : (known ?? remembered);
}

function catchUp(
  ledger: RoundLedger,
  { partition, closed }: OwnPartition,
  worker: OwnKnowledge,
  through: number,
): Step {
  const found = [ledger.nextCut(partition, closed, through)];
  if (ledger.isGathering) found.push(worker.memory.next(partition, closed, through));
  const panes = found.flatMap((each) => (each ? [each.pane] : []));
  const pane = Math.min(through, ...panes);
  return { kind: 'close', pane, cut: cutAt(ledger, worker, pane, partition)?.cut };
}

function gather(ledger: RoundLedger, own: OwnPartition, pane: number): Step {
  const base = ledger.base(own.partition);
  const isThere = base?.pane === pane && (base.next !== null || !own.knowsNext);
  // Before all else somebody has to know of an event.
  if (isThere || (!own.knowsNext && !ledger.isBegun && pane === Number.NEGATIVE_INFINITY)) {
    return WAIT;
  }
  return { kind: 'base', pane };
}

function turn(ledger: RoundLedger, own: OwnPartition): Step {
  const { pane, round } = ledger;
  const { partition, closed } = own;
  if (partition >= ledger.members) return WAIT;
  if (closed < pane) return { kind: 'close', pane, cut: ledger.cut(pane, partition)?.cut };
  if (ledger.has(partition)) return WAIT;
  return round === 0 ? { kind: 'closing', pane } : { kind: 'sums', pane, round };
}
