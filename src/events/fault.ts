/**
 * Why an event is refused: a closed list, used as label values and in dead letters.
 * The index of a reason is its code; `ACCEPTED` (0) means no fault.
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
/** Not a fault and not an event of ours: a mapping says that this kind is passed over. */
export const IGNORED = -1;
/** Not a fault: the event names an item that the table of items takes in no more. */
export const OVER_ITEM_LIMIT = -2;

/** Not a fault: the table of users refuses the event's, who is to be forgotten. */
export const FORGOTTEN_USER = -3;

/** Not a fault: a null stands in `value`, and it is not known yet whether others of the file have one. */
export const ASKS_FOR_VALUES = -4;

/** Code of a reason, the inverse of `FAULT_REASONS[code]`. */
export function faultCode(reason: FaultReason): number {
  return FAULT_REASONS.indexOf(reason);
}
