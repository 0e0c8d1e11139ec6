import { NO_SHADOW } from '../../config/keys/shadow/shadow.js';
import type { Config } from '../../config.js';
import type { Kind } from '../../learning/kinds.js';

/** Whether the service learns a baseline. */
export function hasShadow({ shadow: { kind } }: Config): boolean {
  return kind !== NO_SHADOW;
}

/** The kind that is learned; to be asked only where there is one. */
export function kindOf({ shadow: { kind } }: Config): Kind {
  return kind as Kind;
}

/** Name of the baseline among the models. */
export function shadowName({ shadow: { name, kind } }: Config): string {
  return name ?? kind;
}
