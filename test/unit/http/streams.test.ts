import { IncomingMessage, request, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { clientOf, StreamReader } from '../../../src/outputs/http/routes/tick-stream.js';
import type { Snapshot } from '../../../src/stream/tick/snapshot.js';
import { makeSnapshot } from '../../fixtures/snapshot.js';
import { serve, type TestServer } from '../../support/http-server.js';
import { eventually } from '../../support/program.js';

const open: TestServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

async function started(...args: Parameters<typeof serve>): Promise<TestServer> {
  const server = await serve(...args);
  open.push(server);
  return server;
}

interface Opened {
  readonly status: number;
  readonly type: string;
  end(): void;
}

/** Opens a stream from an address of this machine. */
function streamFrom(server: TestServer, localAddress: string, query = ''): Promise<Opened> {
  return new Promise((resolve, reject) => {
    const url = `${server.address}/api/v1/stream?${query}`;
    const sent = request(url, { localAddress, agent: false }, (answer) => {
      answer.resume();
      answer.on('error', () => {});
      const { statusCode, headers } = answer;
      resolve({
        status: statusCode!,
        type: headers['content-type'] ?? '',
        end: () => sent.destroy(),
      });
    });
    sent.on('error', reject);
    sent.end();
  });
}

describe('the readers of the stream', () => {
  it('are limited per address', async () => {
    const server = await started({ snapshot: makeSnapshot(), streamsPerAddress: 3 });
    const opened: Opened[] = [];
    for (let n = 0; n < 5; n++) opened.push(await streamFrom(server, '127.0.0.1'));
    expect(opened.map(({ status }) => status)).toEqual([200, 200, 200, 429, 429]);
    expect(opened[4].type).toMatch(/^application\/problem\+json/);
    const other = await streamFrom(server, '127.0.0.2');
    expect(other.status).toBe(200);
    opened[0].end();
    const again = await eventually(
      'a stream instead of one that was closed',
      () => streamFrom(server, '127.0.0.1'),
      ({ status }) => status === 200,
    );
    for (const { end } of [...opened, other, again]) end();
  });

  it('share a message if their queries fall back to the same choice', async () => {
    let written = 0;
    const counted = (snapshot: Snapshot): Snapshot =>
      new Proxy(snapshot, {
        get: (target, name) => {
          // It is in each message once.
          if (name === 'catalogueSize') written++;
          return Reflect.get(target, name);
        },
      });
    const server = await started({});
    const opened: Opened[] = [];
    for (let n = 0; n < 40; n++) {
      opened.push(await streamFrom(server, '127.0.0.1', `window=w${n}&k=${900 + n}`));
    }
    opened.push(await streamFrom(server, '127.0.0.1', 'window=24h'));
    server.publish(counted(makeSnapshot()));
    await eventually(
      'both messages',
      async () => written,
      (seen) => seen >= 2,
    );
    server.publish(counted(makeSnapshot({ start: 2 })));
    await eventually(
      'both of the next tick',
      async () => written,
      (seen) => seen >= 4,
    );
    expect(written).toBe(4);
    for (const { end } of opened) end();
  });
});

describe('a reader that does not read', () => {
  /** A response whose data is never read. */
  const stuck = (): ServerResponse =>
    Reflect.construct(ServerResponse, [new IncomingMessage(new Socket()), { highWaterMark }]);
  /** Of Node 22 and later; of Node 20 it is a quarter of that. */
  const highWaterMark = 64 * 1024;
  const KIB = 1024;

  it('buffers at most the limit and one message before it is disconnected', () => {
    const response = stuck();
    const reader = new StreamReader(response, {}, 'a');
    let most = 0;
    for (let n = 0; n < 1000 && !response.destroyed; n++) {
      reader.send(Buffer.alloc(100 * KIB));
      most = Math.max(most, response.writableLength);
    }
    expect(response.destroyed).toBe(true);
    expect(most).toBeGreaterThan(100 * KIB);
    expect(most).toBeLessThan((256 + 101) * KIB);
  });

  it('is disconnected after three beats even if little is sent', () => {
    const response = stuck();
    const reader = new StreamReader(response, {}, 'a');
    reader.send(Buffer.alloc(20 * KIB));
    for (let beat = 1; beat <= 3; beat++) {
      expect(response.destroyed, String(beat)).toBe(false);
      reader.beat();
    }
    expect(response.destroyed).toBe(true);
  });

  it('is not disconnected if nothing is pending', () => {
    const response = stuck();
    const reader = new StreamReader(response, {}, 'a');
    for (let beat = 0; beat < 10; beat++) reader.beat();
    expect(response.destroyed).toBe(false);
  });
});

describe('the client that an address belongs to', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
  ])('of %s is %s', (address, client) => {
    expect(clientOf(address)).toBe(client);
  });
});

describe('the state of a service', () => {
  const stated = (label: string) => ({
    states: [
      {
        code: 'stale' as const,
        severity: 'problem' as const,
        since: 1,
        figures: {},
        subject: {},
        label,
        text: '',
        remedy: '',
      },
    ],
    arrivals: null,
  });

  it('is sent at once and once per change, also to earlier readers', async () => {
    let label = 'first';
    const server = await started({ state: () => stated(label) });
    const read = async () => {
      const { body } = await fetch(`${server.address}/api/v1/stream`);
      const reader = body!.pipeThrough(new TextDecoderStream()).getReader();
      let text = '';
      return async (until: string) => {
        while (!text.includes(until)) text += (await reader.read()).value;
        return [...text.matchAll(/"label":"(\w+)"/g)].map(([, found]) => found);
      };
    };
    const early = await read();
    expect(await early('first')).toEqual(['first']);
    label = 'second';
    // A reader that connects meanwhile is the first to see it.
    const late = await read();
    expect(await late('second')).toEqual(['second']);
    server.publishState(stated('second'));
    server.publishState(stated('third'));
    expect(await early('third')).toEqual(['first', 'second', 'third']);
    expect(await late('third')).toEqual(['second', 'third']);
  });
});
