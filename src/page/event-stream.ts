/** A server-sent event. */
export interface ServerEvent {
  readonly event: string;
  readonly data: string;
}

/** Parser that splits chunks of text into server-sent events, wherever the chunks are cut. */
export class EventParser {
  #rest = '';
  #event = '';
  #data: string[] = [];

  /** Parse a chunk. @returns the events that it completes. */
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
