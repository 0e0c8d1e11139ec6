import { SegmentCodes } from '../../events/segment-codes.js';
import type { BinaryReader } from '../binary/binary-reader.js';
import type { EventPlaces } from '../ids/dictionaries.js';
import { markIds } from '../ids/mark.js';
import { PendingExposures } from './pending-exposures.js';
import { PendingInteractions } from './pending-interactions.js';
import type { SegmentNames } from './row-segments.js';
import type { Write } from './stored-columns.js';

/**
 * Events of one pane as they arrive, before their order in time is known. They are attributed and
 * counted when the pane closes, in order of event time: so neither the order of arrival nor the
 * interleaving of the two topics reaches a number.
 */
export class PendingEvents {
  readonly interactions = new PendingInteractions();
  readonly exposures = new PendingExposures();

  /**
   * What is pending now, to be written later. Columns are only added to, and replaced when they
   * grow: their beginnings do not change while they are written.
   */
  capture(segments?: SegmentNames): Write {
    const interactions = this.interactions.capture(segments);
    const exposures = this.exposures.capture(segments);
    return function* write(to, ids) {
      yield* interactions(to, ids);
      yield* exposures(to, ids);
    };
  }

  /** Sets the flags of the users of what is pending. */
  *markUsers(flags: Uint8Array): Generator<void, void> {
    const { interactions, exposures } = this;
    yield* markIds(flags, interactions.user, interactions.length);
    yield* markIds(flags, exposures.user, exposures.length);
  }

  /** Sets the flags of the items of what is pending. */
  *markItems(flags: Uint8Array): Generator<void, void> {
    const { interactions, exposures } = this;
    yield* markIds(flags, interactions.item, interactions.length);
    yield* markIds(flags, exposures.items, exposures.entries);
  }

  /** Sets the flags of the names of the models of its lists. */
  *markModels(flags: Uint8Array): Generator<void, void> {
    yield* markIds(flags, this.exposures.model, this.exposures.length);
  }

  /** A message between threads keeps the fields of an object and not its class. */
  static revived({ interactions, exposures }: PendingEvents): PendingEvents {
    const pending = new PendingEvents();
    Object.assign(pending.interactions, interactions);
    Object.assign(pending.exposures, exposures);
    for (const each of [pending.interactions, pending.exposures]) {
      each.segments = SegmentCodes.revived(each.segments);
    }
    return pending;
  }

  static read(from: BinaryReader, places: EventPlaces, segments?: SegmentNames): PendingEvents {
    const pending = new PendingEvents();
    pending.interactions.read(from, places, segments);
    pending.exposures.read(from, places, segments);
    return pending;
  }
}
