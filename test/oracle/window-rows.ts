/**
 * What a window holds, written from the contract over plain objects: the slowest way that is
 * plainly right. Used as the oracle of the columnar state.
 */
export interface PlainExposure {
  id: string;
  ts: number;
  user: string;
  model: string;
  items: string[];
}

export interface PlainInteraction {
  id: string;
  ts: number;
  user: string;
  item: string;
  positive: boolean;
  exposure?: string;
}

export interface PlainRow {
  user: string;
  item: string;
  positive: boolean;
  /** By model: rank, Infinity outside the list, undefined without a list. */
  ranks: Record<string, number | undefined>;
}

/** The list of `model` for the interaction: the named one for its own model, else the latest. */
function listFor(
  interaction: PlainInteraction,
  model: string,
  exposures: readonly PlainExposure[],
  ttl: number,
): PlainExposure | undefined {
  const usable = exposures.filter(
    (e) => e.user === interaction.user && e.ts <= interaction.ts && interaction.ts - e.ts <= ttl,
  );
  const named = usable.find((e) => e.id === interaction.exposure);
  if (named !== undefined && named.model === model) return named;
  let latest: PlainExposure | undefined;
  for (const exposure of usable) {
    if (exposure.model !== model) continue;
    if (latest === undefined || exposure.ts >= latest.ts) latest = exposure;
  }
  return latest;
}

/** Rows of the window from ≤ ts < to; events in log order. */
export function windowRows(
  exposures: readonly PlainExposure[],
  interactions: readonly PlainInteraction[],
  models: readonly string[],
  from: number,
  to: number,
  ttl: number,
): PlainRow[] {
  const inTime = [...interactions]
    .filter(({ ts }) => ts >= from && ts < to)
    .sort((a, b) => a.ts - b.ts);
  const pairs = new Map<string, PlainInteraction>();
  for (const interaction of inTime) {
    const key = JSON.stringify([interaction.user, interaction.item]);
    const known = pairs.get(key);
    if (known === undefined || (!known.positive && interaction.positive)) {
      pairs.set(key, interaction);
    }
  }
  return [...pairs.values()].map((interaction) => ({
    user: interaction.user,
    item: interaction.item,
    positive: interaction.positive,
    ranks: Object.fromEntries(
      models.map((model) => {
        const list = listFor(interaction, model, exposures, ttl);
        const rank = list?.items.indexOf(interaction.item);
        return [model, rank === -1 ? Number.POSITIVE_INFINITY : rank];
      }),
    ),
  }));
}
