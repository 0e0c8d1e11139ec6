import type { ExposureEvent, InteractionEvent } from '../../src/events/encode.js';
import type { ServedLog } from '../../src/features/values/arms/served-log.js';
import { type LoggedRequest, servedLog } from './value-log.js';

export function groupedBy<T, K>(values: readonly T[], keyOf: (value: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const value of values) {
    const group = groups.get(keyOf(value));
    if (group === undefined) groups.set(keyOf(value), [value]);
    else group.push(value);
  }
  return groups;
}

/**
 * The requests of a log as its events say them: one share for each arm, each user a cluster, and a
 * reward for each item that an interaction with the served list names.
 */
export function servedLogOf(
  exposures: readonly ExposureEvent[],
  interactions: readonly InteractionEvent[],
  models: readonly string[],
): ServedLog {
  const byRequest = groupedBy(
    exposures.filter(({ request }) => request !== undefined),
    ({ request }) => request!,
  );
  const named = groupedBy(interactions, ({ exposure }) => exposure);
  const users = [...new Set(exposures.map(({ user }) => user))];
  const first = byRequest.values().next().value ?? [];
  const shareOf = new Map(first.map(({ model, share }) => [model, share]));
  const arms = models.filter((model) => shareOf.get(model) !== undefined);
  const requests = [...byRequest.values()].map((lists): LoggedRequest => {
    const served = lists.filter(({ shown }) => shown !== false);
    if (served.length !== 1) throw new Error(`${served.length} lists of a request were served`);
    const [{ id, model, user }] = served;
    const clicked = named.get(id) ?? [];
    return {
      lists: models.map((name) => [...(lists.find((each) => each.model === name)?.items ?? [])]),
      arm: arms.indexOf(model),
      rewards: Object.fromEntries(clicked.map(({ item, value }) => [item, value ?? 1])),
      cluster: users.indexOf(user),
    };
  });
  return servedLog(requests, {
    models,
    arms: arms.map((model) => ({ list: models.indexOf(model) })),
    shares: [arms.map((model) => shareOf.get(model)!)],
  });
}
