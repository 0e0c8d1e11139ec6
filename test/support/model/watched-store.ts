import { type CheckpointHead, openCheckpoint } from '../../../src/stream/checkpoint/checkpoint.js';
import type { CheckpointEvent } from '../../../src/stream/checkpoint/checkpointer.js';
import type { NextOffsets } from '../../../src/stream/ports.js';
import { runAtOnce } from '../../../src/stream/sliced.js';
import { MemoryCheckpointStore } from '../memory-checkpoint-store.js';
import { ROLES } from './growing-log.js';

/** Called with each rule that is broken, in words. */
export type Broken = (rule: string) => void;

/**
 * Holds what is kept to the rules at each step, since what a later checkpoint repairs cannot be
 * seen at the end: only the owner writes, it only ever goes on, and nobody claims more than was kept.
 */
export class WatchedStore extends MemoryCheckpointStore {
  readonly #broken: Broken;
  readonly #newest = new Map<number, CheckpointHead>();
  /** An owner that comes back may go on from less than others have kept meanwhile. */
  readonly #furthest = new Map<number, NextOffsets>();

  constructor(broken: Broken) {
    super();
    this.#broken = broken;
  }

  override async save(partition: number, epoch: number, chunks: readonly Uint8Array[]) {
    const isOwner = this.epochOf(partition) === epoch;
    const { head } = runAtOnce(openCheckpoint(Uint8Array.from(Buffer.concat(chunks))));
    const outcome = await super.save(partition, epoch, chunks);
    if (outcome !== 'saved') return outcome;
    if (!isOwner) this.#broken(`partition ${partition} is kept by an owner of before`);
    const before = this.#newest.get(partition);
    if (before?.epoch === epoch && isBehind(head.next, before.next)) {
      this.#broken(`the owner of partition ${partition} goes back`);
    }
    this.#newest.set(partition, head);
    this.#furthest.set(partition, further(head.next, this.#furthest.get(partition)));
    return outcome;
  }

  /** What a worker tells. */
  hear({ partition, outcome, next, error }: CheckpointEvent): void {
    const kept = this.#furthest.get(partition);
    if (outcome === 'saved' && (kept === undefined || isBehind(kept, next))) {
      this.#broken(`partition ${partition} is reported as kept further than it is`);
    }
    // Nothing is ever lost here.
    if (outcome === 'absent' && error === undefined) {
      this.#broken(`partition ${partition} is reported as lost`);
    }
  }
}

function further(one: NextOffsets, other: NextOffsets = {}): NextOffsets {
  const both = ROLES.map((role) => [role, Math.max(one[role] ?? 0, other[role] ?? 0)]);
  return Object.fromEntries(both);
}

function isBehind(kept: NextOffsets, wanted: NextOffsets | undefined): boolean {
  return ROLES.some((role) => (kept[role] ?? 0) < (wanted?.[role] ?? 0));
}
