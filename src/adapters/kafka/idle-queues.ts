import RequestQueue from 'kafkajs/src/network/requestQueue/index.js';

const schedule = RequestQueue.prototype.scheduleCheckPendingRequests;

/**
 * Without it each connection of the client checks a queue of no requests every millisecond, by a
 * timer with a negative delay, of which Node 24 warns (kafkajs 2.2.4, its issues 1704 and 1751).
 * A request that has to wait schedules the check itself.
 */
export function letIdleQueuesRest(): void {
  RequestQueue.prototype.scheduleCheckPendingRequests = scheduleIfAnyWaits;
}

function scheduleIfAnyWaits(this: RequestQueue): void {
  if (this.pending.length > 0) schedule.call(this);
}
