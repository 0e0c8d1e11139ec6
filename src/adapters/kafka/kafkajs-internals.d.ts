/** The client's queue of delayed requests, one per connection. */
declare module 'kafkajs/src/network/requestQueue/index.js' {
  export default class RequestQueue {
    constructor(options: object);
    readonly pending: readonly unknown[];
    /** ms since the epoch; a time in the past means no throttling. */
    throttledUntil: number;
    push(request: object): void;
    checkPendingRequests(): void;
    scheduleCheckPendingRequests(): void;
    destroy(): void;
  }
}
