import { expect, it } from 'vitest';
import type { MonitorOptions } from '../../../src/stream/options.js';
import { stateSettings } from '../../../src/stream/state-settings.js';
import { smallOptions } from '../../support/log.js';

const VALUE = { horizonMs: 50, unit: 'request' as const };
const stated = (actions: Record<string, number>, more: Partial<MonitorOptions> = {}) =>
  stateSettings(smallOptions({ actions, ...more }))['events.actions'];

it('what actions are worth is a setting of the state where lists are valued by requests', () => {
  const value = { value: VALUE };
  expect(stated({ purchase: 5 }, value)).not.toEqual(stated({}, value));
  expect(stated({ purchase: 5 }, value)).not.toEqual(stated({ purchase: 5, cart: 2 }, value));
});

it('without that, and with causes ignored, only actions that are worth nothing are', () => {
  expect(stated({ purchase: 5 })).toEqual(stated({}));
  expect(stated({ view: 0 })).not.toEqual(stated({}));
});
