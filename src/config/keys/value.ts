import { duration, oneOf, real } from '../kinds.js';

const COMMANDS = ['serve', 'replay', 'evaluate'] as const;

/** What lists are worth, by requests whose lists of all models are known. */
export const VALUE = {
  horizon: duration({
    description:
      'How long after its first list a request takes lists of other models and interactions that name the list it was served. It counts in the window in which this has passed.',
    commands: COMMANDS,
    least: '1ms',
    default: '30m',
  }),
  unit: oneOf(['request', 'user'], {
    description:
      'By what an experiment draws its arms. `request`: for each request; `user`: users keep their arm, and then values of challengers come with a caution.',
    commands: COMMANDS,
    default: 'request',
  }),
  mostReward: real({
    description:
      'What an item is worth at most where it is looked at: with it values have an upper bound, and a model whose items no arm shows can be proved worse. Without it: no bound.',
    commands: COMMANDS,
    unit: 'reward of an item',
    above: 0,
    to: 1e12,
  }),
} as const;
