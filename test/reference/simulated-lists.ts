import { Simulation } from '../../src/simulation/simulation.js';
import type { PlainRow, PlainWindow } from '../oracle/window.js';

/** A model's latest list of a user: place of each item. */
type Places = ReadonlyMap<string, number>;

/** Lists of one user so far. */
interface Known {
  readonly lists: Map<string, Places>;
  served: string | undefined;
}

/** What a second visit does that the simulation's users do not: see `worldOf`. */
export type Breach = (row: {
  isOwn: boolean;
  item: string;
  lists: ReadonlyMap<string, Places>;
}) => boolean;

/**
 * A simulated log as a plain window, built straight from its events: every (user, item) at its
 * first positive interaction, ranked in each model's latest list, with its attributed list as its
 * cause. Weights are exact: the popularity is the world's own, not what the log counted.
 *
 * @param keep which rows stay; all by default.
 */
export function simulatedLists(
  options: ConstructorParameters<typeof Simulation>[0],
  keep: Breach = () => true,
): { window: PlainWindow; simulation: Simulation } {
  const simulation = new Simulation({ ...options, durationMs: simulationCycle });
  const models = ['blend', 'personal', 'popular'].filter((name) =>
    simulation.options.rankers.some((ranker) => ranker === name),
  );
  const { itemIds, targetPopularity } = simulation.world;
  const numberOf = new Map(itemIds.map((id, i) => [id, i]));
  const modelOf = new Map<string, string>();
  const users = new Map<string, Known & { rows: Map<string, PlainRow> }>();
  for (const event of simulation.events()) {
    let user = users.get(event.user);
    if (user === undefined) {
      user = { lists: new Map(), served: undefined, rows: new Map() };
      users.set(event.user, user);
    }
    if (event.type === 'exposure') {
      modelOf.set(event.id, event.model);
      user.lists.set(event.model, new Map(event.items.map((item, place) => [item, place])));
      if (event.shown !== false) user.served = event.model;
      continue;
    }
    if ((event.value ?? 1) < 1 || user.rows.has(event.item)) continue;
    const cause = event.exposure === undefined ? undefined : modelOf.get(event.exposure);
    const isOwn = cause !== undefined;
    if (!keep({ isOwn, item: event.item, lists: user.lists })) continue;
    const { lists, served } = user;
    user.rows.set(event.item, {
      item: numberOf.get(event.item) as number,
      positive: true,
      ranks: models.map((model) => lists.get(model)?.get(event.item) ?? 'absent'),
      lists: models.map((model) => ({ length: lists.get(model)?.size ?? 1, candidates: 0x8000 })),
      cause: placeOf(models, cause),
      served: served === undefined || !models.includes(served) ? undefined : models.indexOf(served),
    });
  }
  const popularity = [...targetPopularity].map((share) => 1e6 * share);
  const window: PlainWindow = {
    models,
    popularity,
    interactions: popularity,
    ids: [...itemIds],
    users: [...users.values()].map(({ rows }) => ({ count: rows.size, rows: [...rows.values()] })),
  };
  return { window, simulation };
}

const simulationCycle = 3_600_000;

function placeOf(models: readonly string[], cause: string | undefined): PlainRow['cause'] {
  if (cause === undefined) return undefined;
  return models.includes(cause) ? models.indexOf(cause) : 'elsewhere';
}
