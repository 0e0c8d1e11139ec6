import { describe, expect, it } from 'vitest';
import { splitUserFindings, splitUsers } from '../../../../src/rows/findings/coverage.js';
import { depthOfKey, UserDepths } from '../../../../src/state/ids/user-depths.js';
import { type PaneUsers, paneUsers } from '../../../../src/state/panes/pane-users.js';
import {
  SeenUsers,
  type UserPartitions,
  userPartitions,
} from '../../../../src/state/panes/user-partitions.js';
import { runAtOnce } from '../../../../src/stream/sliced.js';

const MINUTE = 60_000;
const DAY = 1440;
const encoder = new TextEncoder();

/** Users by number, each partition with numbers of its own. */
class Users {
  readonly generation = 0;
  readonly texts: Uint8Array[] = [];
  readonly #numbers = new Map<string, number>();

  numberOf(user: string): number {
    const known = this.#numbers.get(user) ?? this.texts.push(encoder.encode(user)) - 1;
    this.#numbers.set(user, known);
    return known;
  }
  byteLengthOf(user: number): number {
    return this.texts[user]!.length;
  }
  copyTo(user: number, into: Uint8Array, from: number): number {
    into.set(this.texts[user]!, from);
    return this.texts[user]!.length;
  }
}

interface SeenAt {
  readonly pane: number;
  readonly partition: number;
  readonly user: string;
  readonly kind: 'exposures' | 'interactions';
}

/** What partitions know after events, and how the same is counted without a sample. */
function world(events: readonly SeenAt[], count: number, panes = DAY) {
  const parts = Array.from({ length: count }, () => {
    const users = new Users();
    return { users, depths: new UserDepths(users), seen: new SeenUsers(panes) };
  });
  const samples: PaneUsers[] = [];
  for (const pane of [...new Set(events.map((event) => event.pane))].sort((a, b) => a - b)) {
    for (const [partition, { users, depths, seen }] of parts.entries()) {
      const own = events.filter((event) => event.pane === pane && event.partition === partition);
      if (own.length === 0) continue;
      const of = (kind: SeenAt['kind']) => {
        const user = own.filter((event) => event.kind === kind).map((e) => users.numberOf(e.user));
        return { length: user.length, user: Int32Array.from(user) };
      };
      const byKind = { exposures: of('exposures'), interactions: of('interactions') };
      const sample = runAtOnce(paneUsers(byKind, depths, 0));
      samples.push(sample);
      seen.add(pane, sample);
    }
  }
  const last = Math.max(...events.map(({ pane }) => pane));
  const seen = parts.map((part) => part.seen);
  return { seen, samples, homes: userPartitions(seen, MINUTE, last - panes + 1) };
}

/** Lists and interactions of users a minute, in the partition that is said. */
function traffic(
  users: number,
  panes: number,
  partitionOf: (user: number, pane: number, kind: SeenAt['kind']) => number,
): SeenAt[] {
  return Array.from({ length: panes }, (_, pane) =>
    Array.from({ length: users }, (_, n) =>
      (['exposures', 'interactions'] as const).map((kind) => {
        return { pane, partition: partitionOf(n, pane, kind), user: `u${n}`, kind };
      }),
    ).flat(),
  ).flat();
}

const share = ({ users, several }: UserPartitions['both']) => several / users;

describe('users in partitions', () => {
  it('are in one partition each if records are keyed by user', () => {
    const { homes } = world(
      traffic(300, 3, (user) => user % 4),
      4,
    );
    expect(homes.exposures).toEqual({ users: 300, several: 0 });
    expect(homes.interactions).toEqual({ users: 300, several: 0 });
    expect(homes.both).toEqual({ users: 300, several: 0 });
    expect(splitUserFindings({ homes })).toEqual([]);
  });

  it('are in several if the two topics are partitioned differently', () => {
    const { homes } = world(
      traffic(300, 3, (user, _, kind) => (kind === 'exposures' ? user % 4 : (user + 1) % 4)),
      4,
    );
    expect(share(homes.exposures)).toBe(0);
    expect(share(homes.interactions)).toBe(0);
    expect(homes.both).toEqual({ users: 300, several: 300 });
    expect(splitUsers(homes)).toMatchObject({ by: 'both', share: 1 });
  });

  it('are sampled if they are many, with a share close to the true one', () => {
    // One user in four is in two partitions.
    const partitionOf = (user: number, pane: number) => (user + (user % 4 === 0 ? pane : 0)) % 3;
    const { homes, samples, seen } = world(traffic(20_000, 2, partitionOf), 3);
    for (const sample of samples) {
      expect(sample.exposures.length).toBeLessThanOrEqual(256);
      expect([...sample.exposures].every((key) => depthOfKey(key) >= sample.level)).toBe(true);
    }
    expect(seen.every((part) => part.of('exposures').size <= 1024)).toBe(true);
    expect(homes.exposures.users).toBeGreaterThan(100);
    const error = Math.sqrt((0.25 * 0.75) / homes.exposures.users);
    expect(Math.abs(share(homes.exposures) - 0.25)).toBeLessThan(4 * error);
  });

  it('are reported as moved, with the time, if partitions were added', () => {
    const added = 60;
    const { homes } = world(
      traffic(200, 120, (user, pane) => user % (pane < added ? 2 : 4)),
      4,
    );
    expect(share(homes.exposures)).toBe(0.5);
    expect(homes.movedAt).toBe(added * MINUTE);
    const [finding] = splitUserFindings({ homes });
    expect(finding).toMatchObject({ code: 'users_moved', severity: 'caution' });
  });

  it('are no longer reported as moved after the longest window', () => {
    const { homes } = world(
      traffic(200, 200, (user, pane) => user % (pane < 60 ? 2 : 4)),
      4,
      100,
    );
    expect(homes.exposures).toEqual({ users: 200, several: 0 });
    expect(splitUserFindings({ homes })).toEqual([]);
  });
});
