import { createPrivateKey } from 'node:crypto';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tlsOf } from '../../../../src/adapters/kafka/security/tls-files.js';
import { certificate } from '../../../support/certificate.js';

let folder: string;
let first: { key: string; cert: string };
let second: { key: string; cert: string };
let locked: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'unskew-tls-'));
  const made = async (name: string) => {
    const files = await certificate(folder);
    const key = join(folder, `${name}-key.pem`);
    const cert = join(folder, `${name}-cert.pem`);
    copyFileSync(files.key, key);
    copyFileSync(files.cert, cert);
    return { key, cert };
  };
  first = await made('first');
  second = await made('second');
  locked = join(folder, 'locked.pem');
  const key = createPrivateKey(readFileSync(first.key));
  const lock = { cipher: 'aes-256-cbc', passphrase: 'open' };
  writeFileSync(locked, key.export({ type: 'pkcs8', format: 'pem', ...lock }));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('TLS files', () => {
  it('are read again for each connection', () => {
    const cert = join(folder, 'cert.pem');
    const key = join(folder, 'key.pem');
    copyFileSync(first.cert, cert);
    copyFileSync(first.key, key);
    const tls = tlsOf({ certificate: cert, key, ca: first.cert });
    // As the client does for each connection.
    const before = Object.assign({}, tls);
    expect(before.cert).toBe(readFileSync(first.cert, 'utf8'));
    copyFileSync(second.cert, cert);
    copyFileSync(second.key, key);
    const after = Object.assign({}, tls);
    expect(after.cert).toBe(readFileSync(second.cert, 'utf8'));
    expect(after.key).toBe(readFileSync(second.key, 'utf8'));
    expect(after.ca).toBe(before.ca);
  });

  it('may be absent', () => {
    expect(Object.assign({}, tlsOf({}))).toEqual({});
  });

  it('may include a key with a passphrase', () => {
    expect(tlsOf({ certificate: first.cert, key: locked, keyPassphrase: 'open' }).passphrase).toBe(
      'open',
    );
  });

  it('are rejected with the setting and the reason if they are invalid', () => {
    const broken = join(folder, 'broken.pem');
    writeFileSync(broken, '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n');
    const text = join(folder, 'text.pem');
    writeFileSync(text, 'der');
    const none = join(folder, 'none.pem');
    const { cert, key } = first;
    expect(() => tlsOf({ ca: none })).toThrow(`kafka.tls.ca: cannot read ${none}: ENOENT`);
    expect(() => tlsOf({ ca: text })).toThrow('kafka.tls.ca: it is not a PEM file');
    expect(() => tlsOf({ certificate: broken, key })).toThrow(
      /^kafka.tls.certificate: the file is not usable/,
    );
    expect(() => tlsOf({ certificate: cert, key: second.key })).toThrow(
      'kafka.tls.key: the key does not belong to kafka.tls.certificate',
    );
    expect(() => tlsOf({ certificate: cert, key: locked })).toThrow(
      'kafka.tls.key: the key is encrypted: set kafka.tls.keyPassphrase',
    );
    expect(() => tlsOf({ certificate: cert, key: locked, keyPassphrase: 'wrong' })).toThrow(
      'kafka.tls.key: kafka.tls.keyPassphrase does not decrypt the key',
    );
  });
});
