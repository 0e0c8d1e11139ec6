import { NumberedSums } from '../../estimators/partitions/rounds.js';
import type { NumberCodec } from '../../state/binary/numbers.js';
import { EVENT_KINDS, type EventKind } from '../../state/panes/pane-users.js';
import type { Seen, SeenUsers } from '../../state/panes/user-partitions.js';

const SHAPE = 0x6661_6374;

/** Who was seen in one partition. */
type SeenPart = Pick<SeenUsers, 'level' | 'since' | 'of'>;

/** What a tick has to know of all partitions before it takes their rows. */
export class PartitionFacts extends NumberedSums<PartitionFacts> {
  /** How deep users have to lie for everything to be known of them, wherever they live. */
  level = 0;
  /** Who was seen, by partition; of those in which anybody looks. */
  readonly seen: SeenPart[] = [];

  constructor() {
    super(SHAPE);
  }

  /** Takes in one partition. */
  add(level: number, seen: SeenPart | undefined): void {
    this.level = Math.max(this.level, level);
    if (seen !== undefined) this.seen.push(seen);
  }

  ofOthers(): PartitionFacts {
    return new PartitionFacts();
  }

  merge({ level, seen }: PartitionFacts): void {
    this.level = Math.max(this.level, level);
    this.seen.push(...seen);
  }

  pass(through: NumberCodec): void {
    this.level = through.number(this.level);
    const size = through.number(this.seen.length);
    for (let n = 0; n < size; n++) this.seen[n] = passSeen(through, this.seen[n] ?? NOBODY);
  }
}

const NOBODY: SeenPart = { level: 0, since: Number.POSITIVE_INFINITY, of: () => new Map() };

/** Writes a partition, or reads what stands there. */
function passSeen(through: NumberCodec, part: SeenPart): SeenPart {
  const level = through.number(part.level);
  const since = through.number(part.since);
  const users = new Map<EventKind, Map<number, Seen>>();
  for (const kind of EVENT_KINDS) {
    const written = [...part.of(kind)];
    const own = new Map<number, Seen>();
    const size = through.number(written.length);
    for (let n = 0; n < size; n++) {
      const [user, { first, last }] = written[n] ?? [0, { first: 0, last: 0 }];
      const key = through.number(user);
      own.set(key, { first: through.number(first), last: through.number(last) });
    }
    users.set(kind, own);
  }
  return { level, since, of: (kind) => users.get(kind)! };
}
