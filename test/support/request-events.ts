import { ExposureColumns, InteractionColumns } from '../../src/events/columns.js';
import { Decoder } from '../../src/events/decode.js';
import { encodeEvent } from '../../src/events/encode.js';
import { hashBytes } from '../../src/events/hash.js';
import { Interner } from '../../src/state/ids/interner.js';
import { REQUEST_CLUSTERS } from '../../src/state/requests/pane-requests.js';
import { Evaluation } from '../../src/stream/files/evaluation.js';
import type { MonitorOptions } from '../../src/stream/options.js';
import { Outcomes } from '../../src/stream/outcomes.js';
import type { Event } from './log.js';
import type { LoggedRequest } from './value-log.js';

/** How requests are written as events. */
export interface WrittenRequests {
  readonly models: readonly string[];
  /** shares[stratum][model]; a challenger has none. */
  readonly shares: readonly (readonly (number | undefined)[])[];
  /** What the lists of a model say beside, such as that they were drawn at random. */
  readonly says?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Of the first request, and between two, ms. */
  readonly from?: number;
  readonly stepMs?: number;
}

/** The group that a user is in. */
export function clusterOfUser(name: string): number {
  const bytes = Buffer.from(name);
  const users = new Interner();
  const user = users.take(bytes, 0, bytes.length, hashBytes(bytes, 0, bytes.length));
  return users.hash(user) & (REQUEST_CLUSTERS - 1);
}

/** Names of users of whom each is a cluster of its own. */
export function usersApart(count: number): string[] {
  const groups = new Map<number, string>();
  for (let n = 0; groups.size < count; n++) {
    const group = clusterOfUser(`u${n}`);
    if (!groups.has(group)) groups.set(group, `u${n}`);
  }
  return [...groups.values()];
}

/**
 * Lists of every model, one of them shown, and an interaction 1 ms later for each reward, which has
 * to be 1. A request's cluster is its user; each has its own where none is given.
 */
export function requestEvents(
  requests: readonly LoggedRequest[],
  { models, shares, says = {}, from = 1_000_000, stepMs = 10 }: WrittenRequests,
): Event[] {
  const users = usersApart(1 + Math.max(...requests.map(({ cluster }, q) => cluster ?? q)));
  return requests.flatMap(({ lists, arm, rewards = {}, stratum = 0, cluster }, q): Event[] => {
    const ts = from + q * stepMs;
    const user = users[cluster ?? q];
    const exposures = models.map((model, m): Event => {
      const share = shares[stratum][m];
      return {
        type: 'exposure',
        id: `q${q}-${model}`,
        ts,
        user,
        model,
        items: [...lists[m]],
        request: `q${q}`,
        shown: m === arm,
        ...(share !== undefined && { share }),
        ...says[model],
      };
    });
    const clicks = Object.keys(rewards).map((item): Event => {
      const id = `q${q}-${item}`;
      return { type: 'interaction', id, ts: ts + 1, user, item, exposure: `q${q}-${models[arm]}` };
    });
    return [...exposures, ...clicks];
  });
}

/** The snapshot of an evaluation of events, the train part given apart. */
export async function evaluated(
  events: readonly Event[],
  options: MonitorOptions,
  train: readonly Event[] = [],
  outcomes = new Outcomes(),
) {
  const users = new Interner();
  const ids = { items: new Interner(), models: new Interner(), users: () => users };
  const evaluation = new Evaluation(options, ids, outcomes);
  const { actions } = options;
  const decoder = new Decoder({
    maxFutureMs: 1e15,
    ...(actions && { actions }),
    ...(options.ratings && { ratings: options.ratings.scale }),
  });
  for (const [part, log] of [['train', train] as const, ['events', events] as const]) {
    const into = { interactions: new InteractionColumns(), exposures: new ExposureColumns() };
    for (const event of log) {
      const bytes = Buffer.from(encodeEvent(event));
      const code = decoder.decode(bytes, 0, bytes.length, 'mixed', 0, { ...ids, users }, into);
      if (code !== 0) throw new Error(`an event is refused: ${decoder.detail}`);
    }
    if (log.length > 0) evaluation.accept(part, into.interactions, into.exposures);
  }
  return await evaluation.result();
}
