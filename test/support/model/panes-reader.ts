import { isSameCut, isSameHead, type PaneHead } from '../../../src/stream/panes/fold.js';
import type { PanesPosition, TopicRole } from '../../../src/stream/ports.js';
import type {
  PaneStep,
  PartitionPanes,
  PartitionStand,
} from '../../../src/stream/read/partition-panes.js';
import { panesWith } from './panes-faults.js';
import { LATENESS, type ModelPlace, type ModelRecord, ModelState, ROLES } from './panes-state.js';
import type { PanesWorld } from './panes-world.js';

/** Panes that are read ahead of the one that closes next. */
const AHEAD = 2;

/** What is kept of a partition by readers. */
export interface ReaderState {
  readonly state: ModelState;
  readonly place: ModelPlace;
}

export interface Noted extends ModelRecord {
  readonly position: PanesPosition;
  /** When it was read. */
  readonly heardAt: number;
}

/** The record of a pane that was closed here and does not count yet. */
export interface Written {
  readonly record: ModelRecord;
  at: number;
  isRead: boolean;
}

/** Follows one partition of the panes topic, as `PaneFollower` does. */
export class ModelFollower {
  isRead = false;
  position: PanesPosition | undefined;
  #end = Number.POSITIVE_INFINITY;

  constructor(from: PanesPosition | undefined) {
    this.position = from;
  }

  /** @param take takes a record; @returns whether the next one waits */
  follow(
    world: PanesWorld,
    partition: number,
    take: (record: ModelRecord, next: PanesPosition) => boolean,
  ): void {
    const log = world.logs[partition];
    if (this.position === undefined && log.wasEmptied) world.tell(partition, 'all was lost');
    if (this.position === undefined || this.#end === Number.POSITIVE_INFINITY) {
      this.position ??= log.first;
      this.#end = log.end;
    }
    if (this.position.offset >= this.#end) this.isRead = true;
    const found = log.read(this.position, world.chance(0.5));
    if (found === 'gone') {
      this.position = undefined;
      this.#end = Number.POSITIVE_INFINITY;
      world.tell(partition, 'its records are gone');
      return;
    }
    const asksAgain = world.fault !== 'end-is-asked-once';
    if (found.length === 0 && !this.isRead && asksAgain) this.#end = Number.POSITIVE_INFINITY;
    const most = world.pick([1, 3, 99]);
    for (const { record, next } of found.slice(0, most)) {
      const waits = take(record, next);
      this.position = next;
      if (waits) return;
    }
  }
}

/** What a reader has of a partition. */
interface Own {
  readonly number: number;
  readonly state: ModelState;
  panes: PartitionPanes<Noted>;
  readonly follower: ModelFollower;
  readonly begunAt: number;
  /** Where the topic is read on by the one that goes on from the newest pane that was closed here. */
  position: PanesPosition | undefined;
  written: Written | undefined;
  isWanted: boolean;
  captured: ReaderState | undefined;
  /** Events that were read since the newest pane closed. */
  outcomes: number[];
  readonly emptyAt: Record<TopicRole, number>;
  /** When each log was last asked for its end and held nothing more. */
  readonly endAt: Record<TopicRole, number>;
}

/** A process that reads events and writes panes: the rules of `PaneWriter` without its promises. */
export class ModelReader {
  isAlive = true;
  isFrozen = false;
  isReloading = false;
  readonly #world: PanesWorld;
  #own = new Map<number, Own>();
  #othersNewest = Number.NEGATIVE_INFINITY;

  constructor(world: PanesWorld, partitions: readonly number[]) {
    this.#world = world;
    this.assign(partitions);
  }

  get partitions(): number[] {
    return [...this.#own.keys()];
  }

  /** Takes these partitions from what is kept of them. */
  assign(partitions: readonly number[]): void {
    this.isReloading = false;
    this.#othersNewest = Number.NEGATIVE_INFINITY;
    this.#own = new Map([...partitions].sort().map((number) => [number, this.#begin(number)]));
  }

  /** Takes the same partitions once more. */
  reload(): void {
    this.assign(this.partitions);
  }

  isWriting(written: Written): boolean {
    if (!this.isAlive || this.isReloading) return false;
    return [...this.#own.values()].some((own) => own.written === written);
  }

  follow(partition: number): void {
    const own = this.#own.get(partition)!;
    own.follower.follow(this.#world, partition, (record, next) => {
      this.#note(own, { ...record, position: next, heardAt: this.#world.step });
      return false;
    });
  }

  /** Takes steps until there is none. */
  advance(partition: number): void {
    const own = this.#own.get(partition)!;
    while (!this.isReloading && this.#step(own));
  }

  /** Reads what there is, as far as there is room. */
  read(partition: number, role: TopicRole, most: number): void {
    const own = this.#own.get(partition)!;
    const log = this.#world.data[partition][role];
    const from = own.state.read[role];
    for (const event of log.slice(from, Math.min(from + most, this.#room(own, role)))) {
      own.state.take(role, event);
      own.outcomes.push(event.id);
      own.emptyAt[role] = Number.NEGATIVE_INFINITY;
    }
  }

  /** Asks where the logs of events end. */
  askForEnds(partition: number): void {
    const { data, now, step } = this.#world;
    const own = this.#own.get(partition)!;
    for (const role of ROLES) {
      if (own.state.read[role] < data[partition][role].length) continue;
      own.endAt[role] = step;
      own.emptyAt[role] = now;
    }
  }

  /** Finds out how far the partitions of others are. */
  askOthers(): void {
    for (const [number, log] of this.#world.logs.entries()) {
      if (!this.#own.has(number)) this.#othersNewest = Math.max(this.#othersNewest, log.newestPane);
    }
  }

  /** Keeps a partition, or as soon as a pane of it closes and counts. */
  save(partition: number): void {
    const own = this.#own.get(partition)!;
    const { panes, state, position } = own;
    if (this.isReloading) return;
    if (panes.isCounted && isSameCut(state.cut, panes.closed.to) && position !== undefined) {
      this.#world.keep(partition, this.#captured(own));
    } else own.isWanted = true;
  }

  /** What was written and does not count after a while is written again, or dropped. */
  noticeLoss(partition: number): void {
    const own = this.#own.get(partition)!;
    const { written } = own;
    if (written === undefined || written.at > this.#world.step - this.#world.lostAfter) return;
    if (!written.isRead) this.#append(own, written);
    else if (this.#world.fault !== 'never-gives-up') {
      own.written = undefined;
      own.panes.giveUp();
    }
  }

  #begin(number: number): Own {
    const kept = this.#world.kept(number);
    const { place } = kept ?? {};
    const never = { exposures: Number.NEGATIVE_INFINITY, interactions: Number.NEGATIVE_INFINITY };
    return {
      number,
      state: new ModelState(kept?.state),
      panes: panesWith(this.#world.fault, place?.known),
      follower: new ModelFollower(place?.position),
      begunAt: this.#world.step,
      position: place?.position,
      written: undefined,
      isWanted: false,
      captured: undefined,
      outcomes: [],
      emptyAt: { ...never },
      endAt: { ...never },
    };
  }

  #note(own: Own, record: Noted): void {
    const { written, panes, number } = own;
    if (written !== undefined && isSameHead(written.record, record)) written.isRead = true;
    if (panes.take(record)) this.#world.tell(number, 'records are lost');
    if (!panes.isCounted || written === undefined) return;
    own.written = undefined;
    own.position = record.position;
    const isLater = this.#world.fault === 'keeps-what-is-read';
    if (own.captured !== undefined) {
      this.#world.keep(number, isLater ? this.#captured(own) : own.captured);
    }
    own.captured = undefined;
  }

  #step(own: Own): boolean {
    const { panes, state, follower, number } = own;
    const stand = this.#standOf(own);
    const step: PaneStep = panes.step(stand, follower.isRead);
    switch (step.kind) {
      case 'wait':
        return false;
      case 'reload':
        if (this.#world.fault === 'keeps-its-state') {
          const known = { through: panes.newest, to: state.cut };
          own.panes = panesWith(undefined, known);
          return false;
        }
        this.isReloading = true;
        this.#world.tally('reloads');
        return false;
      case 'follow':
        this.#follow(own, step.head as Noted);
        break;
      case 'pass': {
        state.close(step.pane);
        const through = panes.throughOf(step.pane, this.#standOf(own));
        state.pass(through);
        panes.passed(through, state.cut);
        this.#world.tell(number, `nobody knows where pane ${step.pane} was closed`);
        break;
      }
      case 'write':
        this.#write(own, step.pane);
        break;
    }
    if (this.#world.fault !== 'counts-again' || step.kind !== 'follow') own.outcomes = [];
    if (!own.isWanted) return true;
    own.isWanted = false;
    const captured = this.#captured(own);
    const isEarly = this.#world.fault === 'keeps-before-it-counts';
    if (panes.isCounted || isEarly) this.#world.keep(number, captured);
    else own.captured = captured;
    return true;
  }

  #follow(own: Own, head: Noted): void {
    const { state, number, panes } = own;
    const { lists } = state.close(head.pane);
    state.pass(head.through);
    if (lists !== head.lists) this.#world.differ(number, 'two readers close a pane differently');
    state.lists = head.lists;
    panes.followed(head);
    own.position = head.position;
  }

  #write(own: Own, pane: number): void {
    const { state, panes } = own;
    const isEmpty = state.oldestOpen > pane;
    const { closed } = panes;
    const content = state.close(pane);
    const through = panes.throughOf(pane, this.#standOf(own));
    state.pass(through);
    const head: PaneHead = { after: closed.through, pane, through, from: closed.to, to: state.cut };
    panes.wrote(head);
    own.position = own.follower.position ?? own.position;
    const record = { ...head, ...content, isEmpty, outcomes: own.outcomes };
    own.written = { record, at: Number.POSITIVE_INFINITY, isRead: false };
    this.#world.tally('written');
    this.#append(own, own.written);
  }

  #append({ number }: Own, written: Written): void {
    written.at = Number.POSITIVE_INFINITY;
    this.#world.send({ partition: number, writer: this, written });
  }

  #captured({ state, panes, position, follower }: Own): ReaderState {
    const isAhead = this.#world.fault === 'place-is-ahead';
    const from = isAhead ? follower.position : position;
    return { state: new ModelState(state), place: { known: panes.closed, position: from } };
  }

  /** Up to which offset a topic may be read now. */
  #room(own: Own, role: TopicRole): number {
    if (this.isReloading || !own.follower.isRead) return 0;
    const { limit, closed } = own.panes;
    if (limit !== undefined) return limit[role];
    const { oldestOpen, closable } = this.#standOf(own);
    const next = Number.isFinite(closed.through) ? closed.through + 1 : oldestOpen;
    return closable >= next + AHEAD ? 0 : Number.POSITIVE_INFINITY;
  }

  #standOf(own: Own): PartitionStand {
    const { state } = own;
    return {
      read: state.cut,
      oldestOpen: state.oldestOpen,
      closable: this.#closableIn(own),
      isRead: (head) => this.#isRead(own, head as Noted),
    };
  }

  #isRead({ state, endAt, begunAt }: Own, { to, heardAt }: Noted): boolean {
    if (this.#world.fault === 'closes-where-it-is') return true;
    const since = this.#world.fault === 'end-was-seen' ? begunAt - 1 : heardAt;
    if (ROLES.every((role) => endAt[role] > since)) return true;
    return ROLES.every((role) => state.read[role] >= to[role]);
  }

  #closableIn(own: Own): number {
    const closable = Math.min(...ROLES.map((role) => timeOf(own, role))) - LATENESS - 1;
    if (!isIdle(own)) return closable;
    const all = [...this.#own.values()];
    const newest = all.flatMap(({ state }) => Object.values(state.newest));
    const most = [this.#othersNewest, ...all.map(({ panes }) => panes.closed.through)];
    return Math.min(closable, Math.max(...most, ...(all.every(isIdle) ? newest : [])));
  }
}

function timeOf({ state, emptyAt }: Own, role: TopicRole): number {
  return Math.max(state.newest[role], emptyAt[role]);
}

function isIdle({ emptyAt }: Own): boolean {
  return ROLES.every((role) => emptyAt[role] > Number.NEGATIVE_INFINITY);
}
