import { DamagedCheckpoint, UnskewError } from '../../errors.js';
import { runSliced, type Turns } from '../sliced.js';
import { type OpenedCheckpoint, openCheckpoint } from './checkpoint.js';

/**
 * The newest checkpoint of a partition that is whole; undefined where there is none at all.
 *
 * @param next asks the store for the next older one
 * @param onDamaged called with each that is refused
 * @throws UnskewError STATE if there are only damaged ones, or one of another version
 */
export async function newestCheckpoint(
  partition: number,
  next: () => Promise<IteratorResult<Uint8Array>>,
  turns: Turns,
  onDamaged: (error: Error) => void = () => {},
): Promise<OpenedCheckpoint | undefined> {
  let damage: Error | undefined;
  for (;;) {
    const kept = await next();
    if (kept.done === true) break;
    try {
      return await runSliced(openCheckpoint(kept.value), turns);
    } catch (error) {
      if (!(error instanceof DamagedCheckpoint)) throw error;
      damage = error;
      onDamaged(error);
    }
  }
  if (damage === undefined) return undefined;
  const advice = 'remove its checkpoints to read the log again';
  const fault = `no checkpoint of partition ${partition} is whole: ${advice}`;
  throw new UnskewError('STATE', fault, { cause: damage });
}
