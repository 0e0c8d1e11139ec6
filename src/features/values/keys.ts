import { duration, key, oneOf, real } from '../../config/kinds.js';
import { Type } from '../../config/schema.js';

const COMMANDS = ['serve', 'replay', 'evaluate'] as const;

/** What lists are worth, by requests whose lists of all models are known. */
export const VALUE = {
  horizon: duration({
    description:
      'How long after its first list a request takes lists of other models and interactions that name the list it was served. It counts in the window in which this has passed.',
    commands: COMMANDS,
    state: {
      effect: 'kept',
      how: 'Open requests close when they would have; those that have closed keep their rewards until they leave the windows.',
    },
    least: '1ms',
    default: '30m',
  }),
  unit: oneOf(['request', 'user'], {
    description:
      'By what an experiment draws its arms. `request`: for each request; `user`: users keep their arm, and then values of challengers come with a caution.',
    commands: COMMANDS,
    default: 'request',
  }),
  targets: key(
    {
      description:
        'Models whose lists are valued, to save time where there are many; models that are compared have to be among them. Lists of the others count as what arms show. Without it: all.',
      commands: COMMANDS,
    },
    {
      schema: Type.Array(Type.String({ minLength: 1 }), { minItems: 1, uniqueItems: true }),
      expected: 'a list of different names of models',
      unit: null,
      range: 'names of models',
      suffix: '',
      argument: '<names>',
      examples: [['next', 'two-tower']],
      decode: (written) => written as readonly string[],
    },
  ),
  mostReward: real({
    description:
      'What an item is worth at most where it is looked at: with it values have an upper bound, and a model whose items no arm shows can be proved worse. Without it: no bound.',
    commands: COMMANDS,
    unit: 'reward of an item',
    above: 0,
    to: 1e12,
  }),
  loggers: oneOf(['one', 'balanced'], {
    description:
      'Whose chances `propensities` are where several models draw lists. `one`: those of the model that was served; a list is then not valued by requests of more than one. `balanced`: the chance that any of them shows the item, Σ share · chance.',
    commands: COMMANDS,
    default: 'one',
  }),
  shrinkage: real({
    description:
      'λ, by which weights from logged propensities are shrunk to λw/(w² + λ) for `logged_slot_dros` and the like: the smaller, the less they spread and the more a prediction counts. Without it: not given.',
    commands: COMMANDS,
    unit: 'squared weight',
    above: 0,
    to: 1e12,
  }),
} as const;
