import type { ExposureColumns, InteractionColumns } from '../../events/columns.js';
import type { BinaryReader } from '../binary/binary-reader.js';
import { LetGo } from '../counts/let-go.js';
import type { EventPlaces } from '../ids/dictionaries.js';
import type { UserDepths } from '../ids/user-depths.js';
import { PendingEvents } from './pending-events.js';
import type { SegmentNames } from './row-segments.js';
import { depthCounts, levelWithin, type PaneLimits } from './sample-level.js';
import type { Write } from './stored-columns.js';

/**
 * An open pane that holds no more than its limits: when it would, the level rises, and of the events
 * of users who lie less deep only counts are kept.
 *
 *   level = min { k : events and list items of users of depth ≥ k are within the limits }
 *
 * Since the level only rises, and rises to what all events of the pane so far ask for, the final one
 * does not depend on the order in which they came. Each rise costs one pass over what is pending,
 * and halves it on the average.
 */
export class OpenPane {
  readonly pending: PendingEvents;
  readonly #limits: PaneLimits;
  readonly #depths: UserDepths | undefined;
  #level = 0;
  #letGo: LetGo | undefined;

  /** @param depths of the partition's users; without them nothing can be sampled out. */
  constructor(limits: PaneLimits, depths: UserDepths | undefined, pending = new PendingEvents()) {
    this.#limits = limits;
    this.#depths = depths;
    this.pending = pending;
  }

  /** How deep users have to lie for their events to be pending. */
  get level(): number {
    return this.#level;
  }

  /** Counts of the events that are not; undefined while all are. */
  get letGo(): LetGo | undefined {
    return this.#letGo;
  }

  addInteraction(from: InteractionColumns, r: number, flags: number): void {
    if (this.#level > 0 && this.#depths!.of(from.user[r]) < this.#level) {
      this.#letGo!.addInteraction(from.user[r], from.item[r], flags);
      return;
    }
    const { interactions } = this.pending;
    interactions.add(from, r, flags);
    if (interactions.length > this.#limits.rows) this.#rise();
  }

  /** Adds these rows; none of them may be late. */
  addInteractions(from: InteractionColumns, rows: Int32Array, flags: Uint8Array): void {
    const { interactions } = this.pending;
    if (this.#level === 0 && interactions.length + rows.length <= this.#limits.rows) {
      interactions.addRows(from, rows, flags);
      return;
    }
    for (const r of rows) this.addInteraction(from, r, flags[r]);
  }

  addExposure(from: ExposureColumns, r: number, flags: number): void {
    if (this.#level > 0 && this.#depths!.of(from.user[r]) < this.#level) {
      const [first, end] = [from.listStart[r], from.listStart[r + 1]];
      this.#letGo!.addExposure(from.model[r], flags, from.items, first, end);
      return;
    }
    const { exposures } = this.pending;
    exposures.add(from, r, flags);
    if (exposures.entries > this.#limits.listEntries) this.#rise();
  }

  /** Sets the flags of the users of its events, those sampled out included. */
  *markUsers(flags: Uint8Array): Generator<void, void> {
    yield* this.pending.markUsers(flags);
    if (this.#letGo !== undefined) yield* this.#letGo.markUsers(flags);
  }

  /** Sets the flags of the items of its events. */
  *markItems(flags: Uint8Array): Generator<void, void> {
    yield* this.pending.markItems(flags);
    if (this.#letGo !== undefined) yield* this.#letGo.markItems(flags);
  }

  /** Sets the flags of the names of the models of its lists. */
  *markModels(flags: Uint8Array): Generator<void, void> {
    yield* this.pending.markModels(flags);
    for (const name of this.#letGo?.lists.keys() ?? []) flags[name] = 1;
  }

  /** See `PendingEvents.capture`. */
  capture(segments?: SegmentNames): Write {
    const level = this.#level;
    const pending = this.pending.capture(segments);
    const letGo = this.#letGo?.capture();
    return function* write(to, ids) {
      to.number(level);
      yield* pending(to, ids);
      if (letGo !== undefined) yield* letGo(to, ids);
    };
  }

  static read(
    from: BinaryReader,
    places: EventPlaces,
    limits: PaneLimits,
    depths: UserDepths | undefined,
    segments?: SegmentNames,
  ): OpenPane {
    const level = from.number();
    const pane = new OpenPane(limits, depths, PendingEvents.read(from, places, segments));
    pane.#level = level;
    if (level > 0) pane.#letGo = LetGo.read(from, places, limits.popularity);
    return pane;
  }

  #rise(): void {
    const { interactions, exposures } = this.pending;
    const depths = this.#depths!;
    const letGo = this.#letGo ?? new LetGo(this.#limits.popularity);
    this.#letGo = letGo;
    const level = Math.max(
      levelWithin(interactions.byDepth(depths, depthCounts()), this.#limits.rows),
      levelWithin(exposures.byDepth(depths, depthCounts()), this.#limits.listEntries),
    );
    this.#level = level;
    const isKept = (user: number) => depths.of(user) >= level;
    interactions.retain(isKept, (r) => {
      letGo.addInteraction(interactions.user[r], interactions.item[r], interactions.flags[r]);
    });
    exposures.retain(isKept, (r) => {
      const { model, flags, items, listStart } = exposures;
      letGo.addExposure(model[r], flags[r], items, listStart[r], listStart[r + 1]);
    });
  }
}
