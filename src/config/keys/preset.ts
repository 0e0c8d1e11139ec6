import { oneOf } from '../kinds.js';
import { PRESET_NAMES } from '../presets.js';

export const PRESET = oneOf(PRESET_NAMES, {
  description:
    'Settings that go together, weaker than any that is given by itself. `papers` takes γ = 2, t intervals, plain means over users, strata by width, weights from the train part, all events as popularity, and follows no causes.',
  commands: ['serve', 'replay', 'evaluate'],
  flag: '--preset',
  default: 'default',
});
