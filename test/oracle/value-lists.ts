/** A logger that draws lists item by item without repeats, each in proportion to its weight. */
export interface PlackettLuce {
  readonly items: readonly string[];
  readonly weights: readonly number[];
  readonly places: number;
}

const sum = (values: readonly number[]) => values.reduce((total, each) => total + each, 0);

/** P(item next | items above). */
export function nextChance(
  { items, weights }: PlackettLuce,
  above: readonly string[],
  item: string,
) {
  const left = items.filter((each) => !above.includes(each));
  if (!left.includes(item)) return 0;
  const weightOf = (each: string) => weights[items.indexOf(each)];
  return weightOf(item) / sum(left.map(weightOf));
}

/** Every list that can be drawn, with its chance. */
export function allLists(logger: PlackettLuce): { list: string[]; chance: number }[] {
  let lists = [{ list: [] as string[], chance: 1 }];
  for (let k = 0; k < logger.places; k++) {
    lists = lists.flatMap(({ list, chance }) =>
      logger.items
        .filter((item) => !list.includes(item))
        .map((item) => ({
          list: [...list, item],
          chance: chance * nextChance(logger, list, item),
        })),
    );
  }
  return lists;
}

/** P(item stands at rank k), by enumeration. */
export function slotChance(logger: PlackettLuce, item: string, rank: number): number {
  return sum(allLists(logger).map(({ list, chance }) => (list[rank] === item ? chance : 0)));
}

/** The logged chance of each place of a list. */
export function propensitiesOf(
  logger: PlackettLuce,
  list: readonly string[],
  of: 'slot' | 'conditional' | 'item',
  theta: readonly number[],
): number[] {
  return list.map((item, k) => {
    if (of === 'slot') return slotChance(logger, item, k);
    if (of === 'conditional') return nextChance(logger, list.slice(0, k), item);
    return sum(theta.map((each, rank) => each * slotChance(logger, item, rank)));
  });
}
