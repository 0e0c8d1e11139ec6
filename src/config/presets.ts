import { oneOf } from './kinds.js';

/**
 * Named groups of settings, by path. `papers` has the settings of the papers, which were the
 * defaults until they proved misleading on real traffic (CHANGELOG.md).
 */
export const PRESETS = {
  default: {},
  papers: {
    'attribution.clockSkew': '0s',
    'popularity.randomized': 'count',
    'popularity.userCap': 0,
    gamma: 2,
    'events.actions': {},
    'estimates.interval': 't-logit',
    'estimates.userForm': 'plain',
    'estimates.strataScheme': 'popularity-width',
    'estimates.weightsFrom': 'train',
    'estimates.feedback': 'ignore',
    'drift.detectors': ['cusum', 'psi'],
    'drift.standardisation': 'levels',
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, unknown>>>>;

export type PresetName = keyof typeof PRESETS;

export const PRESET_NAMES = Object.keys(PRESETS) as readonly PresetName[];

export function isPreset(name: unknown): name is PresetName {
  return PRESET_NAMES.includes(name as PresetName);
}

export const PRESET = oneOf(PRESET_NAMES, {
  description:
    'Set of defaults. `papers` uses the settings of the papers: γ = 2, t intervals, plain means over users, strata by width, weights from the train part, popularity from all events, and estimates.feedback: ignore. Any key that you set takes precedence.',
  commands: ['serve', 'replay', 'evaluate'],
  flag: '--preset',
  default: 'default',
});
