import { duration, key, oneOf, real } from '../../config/kinds.js';
import { Type } from '../../config/schema.js';
import type { EarningAction } from '../../state/panes/experiment-events.js';
import { sumsToOne } from './ab/stated-split.js';

const COMMANDS = ['serve', 'replay', 'evaluate'] as const;

const SPLIT_WORDS = 'shares above 0 by model, such as control=.5,treatment=.5, that sum to 1';
const REWARD_WORDS = 'an action, such as purchase, or with its values, purchase:value';

/** An A/B test of models, found in the served lists. */
export const EXPERIMENT = {
  split: key(
    {
      description:
        'How an A/B test splits users, or requests, between models: the split that was served is tested against it, and no other models are compared. Without it: every model that serves lists is, and the history of their users is tested instead.',
      commands: COMMANDS,
      state: {
        effect: 'reset',
        how: 'The comparison restarts.',
      },
      flag: '--split',
      isFlagOfServe: false,
    },
    {
      schema: Type.Union([Type.String(), Type.Record(Type.Number())]),
      expected: SPLIT_WORDS,
      unit: 'share',
      range: SPLIT_WORDS,
      suffix: '',
      argument: '<model=share,…>',
      examples: [
        {
          control: 0.5,
          treatment: 0.5,
        },
      ],
      decode: decodedSplit,
    },
  ),
  reward: key(
    {
      description:
        'What users earn in an A/B test: one action, each time (`purchase`), or the sum of its values (`purchase:value`). Without it: all positives, by `events.actions`.',
      commands: COMMANDS,
      state: {
        effect: 'reset',
        how: 'The comparison restarts.',
      },
      flag: '--reward',
      isFlagOfServe: false,
    },
    {
      schema: Type.Union([Type.String(), Type.Record(Type.String())]),
      expected: REWARD_WORDS,
      unit: null,
      range: REWARD_WORDS,
      suffix: '',
      argument: '<action[:value]>',
      examples: [
        'purchase:value',
        {
          action: 'purchase',
          by: 'value',
        },
      ],
      decode: decodedReward,
    },
  ),
} as const;

function decodedSplit(written: unknown): Readonly<Record<string, number>> {
  const entries =
    typeof written === 'string' ? splitText(written) : Object.entries(written as object);
  const split: Record<string, number> = Object.fromEntries(entries);
  const shares = Object.values(split);
  const isSound = shares.length >= 2 && shares.every((share) => share > 0 && share < 1);
  if (!isSound || shares.length < entries.length) throw new RangeError(`expected ${SPLIT_WORDS}`);
  if (!sumsToOne(shares)) {
    const sum = shares.reduce((total, share) => total + share, 0);
    throw new RangeError(`shares sum to ${Number(sum.toFixed(6))}, not 1`);
  }
  return split;
}

function splitText(text: string): [string, number][] {
  return text.split(',').map((part) => {
    const at = part.lastIndexOf('=');
    const share = at > 0 ? part.slice(at + 1).trim() : '';
    return [part.slice(0, at).trim(), share === '' ? Number.NaN : Number(share)];
  });
}

function decodedReward(written: unknown): EarningAction {
  const [action, by = 'count'] =
    typeof written === 'string' ? parsedReward(written) : rewardFields(written as object);
  if (action === '' || (by !== 'count' && by !== 'value')) {
    throw new RangeError(`expected ${REWARD_WORDS}`);
  }
  return { action, by };
}

function parsedReward(text: string): readonly [string, string?] {
  const isByValue = text.endsWith(':value');
  return isByValue ? [text.slice(0, -':value'.length), 'value'] : [text];
}

function rewardFields(written: {
  readonly action?: string;
  readonly by?: string;
}): readonly [string, (string | undefined)?] {
  const { action = '', by, ...others } = written;
  if (Object.keys(others).length > 0) throw new RangeError(`expected ${REWARD_WORDS}`);
  return [action, by];
}

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
  unit: oneOf(['auto', 'request', 'user'], {
    description:
      'What an A/B test randomises, where too few users return for the log to tell. `auto`: users; values of models that no arm is go by requests. `request`: each request; `user`: users keep their arm, and then values of challengers come with a caution.',
    commands: COMMANDS,
    default: 'auto',
  }),
  targets: key(
    {
      description:
        'Models whose lists are valued, to save time where there are many; models that are compared have to be among them. Lists of the others count as what arms show. Without it: all.',
      commands: COMMANDS,
    },
    {
      schema: Type.Array(Type.String({ minLength: 1 }), {
        minItems: 1,
        uniqueItems: true,
      }),
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
