import { UnskewError } from '../errors.js';
import { nameOf, SIMULATED_MODELS, type SimulationOptions } from './options.js';

/** @throws UnskewError USAGE if a number is out of its range or options contradict each other. */
export function checkOptions(options: SimulationOptions): void {
  const { whole, real } = rangesOf(options);
  whole('seed', 0, Number.MAX_SAFE_INTEGER);
  whole('users', 1, 1_000_000);
  whole('items', 2, 10_000);
  real('gamma', -1, 5);
  whole('startMs', 0, 8_640_000_000_000_000);
  whole('cycleMs', 1, Number.MAX_SAFE_INTEGER);
  whole('sessionMs', 2, options.cycleMs);
  whole('periodMs', 1, Number.MAX_SAFE_INTEGER);
  if (options.durationMs !== undefined) whole('durationMs', 1, Number.MAX_SAFE_INTEGER);
  whole('listLength', 1, options.items);
  whole('shownLength', 1, options.items);
  real('relevantPerUser', 1, options.items / 2);
  real('popularityExponent', 0, 2);
  whole('tasteGroups', 1, options.items);
  real('viewsPerSession', 0, options.items / 4);
  real('randomizedShare', 0, 1);
  checkServing(options);
  if (options.rankers.length === 0 || new Set(options.rankers).size < options.rankers.length) {
    refuse('rankers must name at least one ranker, each once');
  }
  const called = SIMULATED_MODELS.map((model) => nameOf(options, model));
  const twice = called.find((name, place) => called.indexOf(name) < place);
  if (twice !== undefined) refuse(`two models are called ${twice}`);
  const drift = options.drift;
  if (drift !== undefined) {
    if (!Number.isInteger(drift.atMs)) refuse(`drift.atMs is ${drift.atMs}, expected whole ms`);
    if (!options.rankers.includes(drift.ranker)) {
      refuse(`drift.ranker ${drift.ranker} is not among the rankers`);
    }
  }
}

/** What serving lists, crawlers and exposures ask for beside. */
function checkServing(options: SimulationOptions): void {
  const { whole, real } = rangesOf(options);
  const { arms, randomArm, logger, botClicks, bots, causedShare, examination, itemNoise } = options;
  if (causedShare !== undefined) real('causedShare', 0, 1);
  if (arms !== undefined) whole('arms', 0, options.rankers.length);
  if (randomArm !== undefined) {
    real('randomArm', 0, 1);
    if (!arms) refuse('randomArm is one more arm, so arms must be at least 1');
    if (options.randomizedShare > 0) refuse('randomArm and randomizedShare exclude each other');
  }
  if (logger !== undefined) {
    real('logger', 0, 1);
    if (logger === 0) refuse('logger is 0, and what is never shown cannot be valued');
    if (arms) refuse('arms and logger exclude each other');
  }
  if (bots !== undefined) whole('bots', 0, 10_000);
  if (botClicks !== undefined) whole('botClicks', 1, 1_000_000);
  if (itemNoise !== undefined) real('itemNoise', 0, 3);
  if (examination === undefined || examination === 'flat') return;
  if (examination[0] !== 1) refuse('examination must begin with 1');
  if (examination.length > options.shownLength) {
    refuse(`examination has more places than the ${options.shownLength} that a list shows`);
  }
  if (examination.some((theta) => !(theta >= 0 && theta <= 1))) {
    refuse('examination holds chances from 0 to 1');
  }
}

function rangesOf(options: SimulationOptions) {
  const whole = (name: keyof SimulationOptions, least: number, most: number) => {
    const value = options[name] as number;
    if (!Number.isInteger(value) || value < least || value > most) {
      refuse(`${name} is ${value}, expected a whole number from ${least} to ${most}`);
    }
  };
  const real = (name: keyof SimulationOptions, least: number, most: number) => {
    const value = options[name] as number;
    if (!(value >= least && value <= most)) {
      refuse(`${name} is ${value}, expected a number from ${least} to ${most}`);
    }
  };
  return { whole, real };
}

function refuse(what: string): never {
  throw new UnskewError('USAGE', `simulation: ${what}`);
}
