/**
 * Why an event is rejected: a closed list, used as label values and in dead letters. The index of a
 * reason is its code; `ACCEPTED` (0) means no fault.
 */
export const FAULT_REASONS = [
  'accepted',
  'oversized',
  'invalid_utf8',
  'not_json',
  'not_an_object',
  'unknown_type',
  'missing_field',
  'wrong_type',
  'not_a_number',
  'bad_timestamp',
  'future_timestamp',
  'id_empty',
  'id_too_long',
  'ill_formed_id',
  'list_too_long',
  'length_mismatch',
  'out_of_range',
  'batch_too_large',
  'not_framed',
  'unknown_schema',
  'schema_mismatch',
  'bad_segment',
] as const;

export type FaultReason = Exclude<(typeof FAULT_REASONS)[number], 'accepted'>;

export const ACCEPTED = 0;
/** Outcome: the mapping ignores events of this kind. */
export const IGNORED = -1;
/** Outcome: the event has a new item and the table of items is full. */
export const OVER_ITEM_LIMIT = -2;

/** Outcome: the event belongs to a user who is to be forgotten. */
export const FORGOTTEN_USER = -3;

/**
 * Outcome: `value` is null, and it is not known yet whether other events of the file have values.
 */
export const ASKS_FOR_VALUES = -4;

/** Code of a reason, the inverse of `FAULT_REASONS[code]`. */
export function faultCode(reason: FaultReason): number {
  return FAULT_REASONS.indexOf(reason);
}
