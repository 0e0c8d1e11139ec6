import type { Config } from '../../config.js';
import { USUAL_ACTION } from '../../events/action-worths.js';
import type { Mapping } from '../../events/mapping/mapping.js';
import { mappingOf } from '../../events/mapping/named-mappings.js';
import type { EarningAction } from '../../state/panes/experiment-events.js';
import type { FeatureOptions } from '../../stream/feature-types.js';

export function valueOptions(
  config: Config,
  judged: Pick<NonNullable<FeatureOptions['value']>, 'margin'>,
): Pick<FeatureOptions, 'value'> {
  const { value, comparisons, experiment, events } = config;
  const { split } = experiment;
  const earning = earningOf(config);
  const { click = 1, ...others } = events.actions;
  const hasOtherClicks = Object.values(others).includes(click);
  const test = {
    hasOtherClicks,
    ...(split && { split }),
    ...(earning && { earning }),
  };
  return {
    value: {
      ...value,
      ...judged,
      control: comparisons.control,
      test,
    },
  };
}

/** The action whose interactions are decoded as rewards of the A/B test; empty if none is set. */
export function valuesDecoded(config: Config): { readonly earning?: string } {
  const earning = earningOf(config);
  return earning === undefined ? {} : { earning: earning.action };
}

/**
 * The action that counts as reward: the configured one; else the values of clicks, if a mapping
 * reads costs (a value with a negative factor); else undefined, which means all positive
 * interactions.
 */
function earningOf({ experiment: { reward }, events }: Config): EarningAction | undefined {
  if (reward !== undefined) return reward;
  const mappings = [events.mapping ?? {}, ...Object.values(events.files ?? {})].map(mappingOf);
  return mappings.some(hasCosts)
    ? {
        action: USUAL_ACTION,
        by: 'value',
      }
    : undefined;
}

function hasCosts({ interaction }: Mapping): boolean {
  const value = interaction?.value;
  return typeof value === 'object' && 'times' in value && Number(value.times) < 0;
}
