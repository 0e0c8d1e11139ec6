import type { WindowSnapshot } from '../stream/snapshot.js';
import { v1OnPolicy } from './on-policy/v1.js';
import { v1Value, v1ValueDifference } from './values/v1.js';

/** What lists are worth in a window, as version 1 of the JSON has it. */
export function listsV1({
  onPolicy,
  values,
  valueDifferences,
}: Partial<Pick<WindowSnapshot, 'onPolicy' | 'values' | 'valueDifferences'>>) {
  return {
    ...(onPolicy && { onPolicy: { ...onPolicy, values: onPolicy.values.map(v1OnPolicy) } }),
    ...(values && { values: values.map(v1Value) }),
    ...(valueDifferences && { valueDifferences: valueDifferences.map(v1ValueDifference) }),
  };
}
