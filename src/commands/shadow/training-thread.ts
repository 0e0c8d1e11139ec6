import { learnedPropensities } from '../../propensity/learned/learned-propensities.js';
import { storageAt } from '../export/storage.js';
import { readPropensities } from '../propensities/file/stored-propensities.js';
import { watchedStorage } from '../service/stores/watched-storage.js';
import { runNight } from '../threads/night-work.js';
import { standBack } from '../threads/stand-back.js';
import { learn } from '../training/learn.js';
import { type AskedPropensities, evenPropensity, weightsOf } from '../training/propensities.js';
import { readRatings } from './rating-reader.js';
import { kindOf } from './settings.js';
import { storeLists } from './stored-lists.js';

/** Learning takes the processor for minutes: in a thread of its own nothing else waits for it. */
standBack();
await runNight(async (context) => {
  const { config, order, io, onProgress, onStorageFailure, mayCommit } = context;
  const { shadow, positive } = config;
  const kind = kindOf(config);
  const asked = await askedPropensities(shadow.propensities);
  const read = await readRatings(context);
  const data = read.data(config.events.actions);
  onProgress({ step: 'learning', done: 0, total: 1 });
  const settings = { positiveFrom: positive.minValue, propensities: asked };
  const lesson = await learn(kind, data, shadow, settings, io);
  const { learned } = lesson;
  const propensities = 'propensities' in learned ? learned.propensities : evenPropensity(data);
  const storage = await storageAt(shadow.out!, config.export);
  return storeLists(
    {
      ...{ kind, order, data, lesson, level: read.level, seed: shadow.seed },
      ...{ length: shadow.length, positiveFrom: positive.minValue, interactions: read.inRange },
      weight: weightsOf(propensities, data, asked),
      onProgress: (done, total) => onProgress({ step: 'ranking', done, total }),
    },
    watchedStorage(storage, onStorageFailure),
    { io, mayCommit },
  );
});

/** @throws UnskewError FILE for a file that is none of propensities */
async function askedPropensities(named: string | undefined): Promise<AskedPropensities> {
  if (named === undefined) return 'even';
  if (named === 'nb') return named;
  const { version, model } = await readPropensities(named);
  return { version, learned: learnedPropensities(model) };
}
