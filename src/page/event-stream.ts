/** One server-sent event. */
export interface ServerEvent {
  readonly event: string;
  readonly data: string;
}

/** Splits a stream of text into server-sent events, independent of its chunks. */
export class EventParser {
  #rest = '';
  #event = '';
  #data: string[] = [];

  /** @returns the events that this chunk completes. */
  push(chunk: string): ServerEvent[] {
    const lines = (this.#rest + chunk).split('\n');
    this.#rest = lines.pop()!;
    const events: ServerEvent[] = [];
    for (const line of lines) {
      const text = line.endsWith('\r') ? line.slice(0, -1) : line;
      if (text === '') {
        if (this.#data.length > 0) {
          events.push({
            event: this.#event,
            data: this.#data.join('\n'),
          });
        }
        this.#event = '';
        this.#data = [];
        continue;
      }
      const colon = text.indexOf(':');
      const name = colon < 0 ? text : text.slice(0, colon);
      const value = colon < 0 ? '' : text.slice(colon + 1).replace(/^ /, '');
      if (name === 'event') {
        this.#event = value;
      } else if (name === 'data') {
        this.#data.push(value);
      }
    }
    return events;
  }
}
