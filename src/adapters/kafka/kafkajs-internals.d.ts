/** The client's queue, for each connection, of requests that cannot be sent yet. */
declare module 'kafkajs/src/network/requestQueue/index.js' {
  export default class RequestQueue {
    constructor(options: object);
    readonly pending: readonly unknown[];
    /** In ms since the epoch; below the present time there is no throttling. */
    throttledUntil: number;
    push(request: object): void;
    checkPendingRequests(): void;
    scheduleCheckPendingRequests(): void;
    destroy(): void;
  }
}
