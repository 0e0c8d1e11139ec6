import type { WindowPanes } from '../../state/panes/group-by-user.js';
import type { FeatureWork } from '../work.js';
import { withProved } from './proved.js';
import { valueOfWindows } from './value-of-windows.js';
import type { WindowValues } from './window-values.js';

/** What lists are worth by requests, of one window. */
type Valued = (window: WindowPanes) => Generator<void, WindowValues>;

export const VALUES_WORK: FeatureWork<Valued> = {
  isAsked: ({ value }) => value !== undefined,
  requestHorizonMs: ({ value }) => value?.horizonMs,
  settings: ({ value }) => ({ 'value.horizon': value!.horizonMs }),
  *begin({ requests, models, options, rounds }) {
    const names = models.map(({ name }) => name);
    return yield* valueOfWindows(requests, names, options.value!, rounds);
  },
  *window({ window }, _, valued) {
    const { values, differences, evidence, ...tested } = yield* valued(window);
    if (values.length === 0) return {};
    const valueDifferences = withProved(differences, evidence, window);
    return { values, valueDifferences, valueEvidence: evidence, ...tested };
  },
};
