import { duration, key, oneOf, real } from '../../config/kinds.js';
import { Type } from '../../config/schema.js';
import type { EarningAction } from '../../state/panes/experiment-events.js';
import { sumsToOne } from './ab/stated-split.js';

const COMMANDS = ['serve', 'replay', 'evaluate'] as const;

const SPLIT_WORDS = 'shares above 0 by model, such as control=0.5,treatment=0.5, that sum to 1';
const REWARD_WORDS =
  'an action such as purchase (counted), or purchase:value (its values are summed)';

/** Configuration of an A/B test of models. */
export const EXPERIMENT = {
  split: key(
    {
      description:
        'Configured split of an A/B test by model. The served split is tested against it (sample ratio mismatch), and only these models are compared. Not given: all models that serve lists are compared, and the history of their users is tested instead.',
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
        'Reward in an A/B test: an action, counted each time (`purchase`), or the sum of its values (`purchase:value`). Not given: all positive interactions, by `events.actions`.',
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

/**
 * Configuration of reward per request, which is estimated from requests with the lists of all
 * models.
 */
export const VALUE = {
  horizon: duration({
    description:
      'How long a request collects lists and interactions after its first list. The request counts in the window in which this time ends.',
    commands: COMMANDS,
    state: {
      effect: 'kept',
      how: 'Applies to new events.',
    },
    least: '1ms',
    default: '30m',
  }),
  unit: oneOf(['auto', 'request', 'user'], {
    description:
      'Unit of randomisation, if too few users return for the log to show it. `auto`: users, or requests for models that are not an arm. `user`: users keep their arm, and challengers are valued with a caution.',
    commands: COMMANDS,
    default: 'auto',
  }),
  targets: key(
    {
      description:
        'Models whose lists are valued. Name only those that you compare to save time if there are many. Not given: all.',
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
      'Largest possible reward of one examined item. It bounds values from above, so that a model can be proved worse even if none of its items was served. Not given: no bound.',
    commands: COMMANDS,
    unit: 'reward of an item',
    above: 0,
    to: 1e12,
  }),
  loggers: oneOf(['one', 'balanced'], {
    description:
      'What the logged `propensities` are if several models randomise their lists. `one`: those of the served model; no model is then valued from lists of several models. `balanced`: Σ share · propensity over these models.',
    commands: COMMANDS,
    default: 'one',
  }),
  shrinkage: real({
    description:
      'λ of `logged_slot_dros` and similar forms, which shrink weights to λw/(w² + λ). A smaller λ means less variance and more reliance on the prediction. Not given: these forms are not computed.',
    commands: COMMANDS,
    unit: 'squared weight',
    above: 0,
    to: 1e12,
  }),
} as const;
