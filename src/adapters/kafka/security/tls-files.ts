import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { KafkaConfig } from 'kafkajs';
import { UnskewError } from '../../../errors.js';

/** Paths of the PEM files of a TLS connection. */
export interface TlsFiles {
  /** Certificate authorities; those of the system by default. */
  readonly ca?: string;
  /** Client certificate, together with `key`. */
  readonly certificate?: string;
  readonly key?: string;
  readonly keyPassphrase?: string;
}

type Tls = Exclude<KafkaConfig['ssl'], boolean | undefined>;

/**
 * Build TLS options that read the files again for each connection, so a renewed certificate is used
 * without a restart.
 *
 * @throws UnskewError USAGE if a file cannot be read or is not valid PEM.
 */
export function tlsOf(files: TlsFiles): Tls {
  const { ca, certificate, key, keyPassphrase } = files;
  const read = (name: keyof TlsFiles, file: string | undefined) =>
    file === undefined
      ? undefined
      : {
          name,
          text: contentOf(name, file),
        };
  check(
    [read('ca', ca), read('certificate', certificate), read('key', key)].filter(
      (each) => each !== undefined,
    ),
    keyPassphrase,
  );
  const tls: Tls = {};
  // The client copies the options for each connection, which reads them.
  const add = (option: string, name: keyof TlsFiles, file: string | undefined) => {
    if (file === undefined) return;
    Object.defineProperty(tls, option, {
      enumerable: true,
      get: () => contentOf(name, file),
    });
  };
  add('ca', 'ca', ca);
  add('cert', 'certificate', certificate);
  add('key', 'key', key);
  if (keyPassphrase !== undefined) {
    tls.passphrase = keyPassphrase;
  }
  return tls;
}

function contentOf(name: keyof TlsFiles, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    throw new UnskewError('USAGE', `kafka.tls.${name}: cannot read ${file}: ${code}`);
  }
}

interface Pem {
  readonly name: keyof TlsFiles;
  readonly text: string;
}

const OPTION = {
  ca: 'ca',
  certificate: 'cert',
  key: 'key',
} as const;

/** Check each file separately, so that the error names the right one. */
function check(files: readonly Pem[], passphrase: string | undefined): void {
  const withPassphrase = passphrase === undefined ? {} : { passphrase };
  const all = Object.fromEntries(files.map(({ name, text }) => [optionOf(name), text]));
  for (const { name, text } of files) {
    if (!text.includes('-----BEGIN ')) {
      fail(name, 'it is not a PEM file');
    }
    if (passphrase === undefined && text.includes('ENCRYPTED')) {
      fail(name, 'the key is encrypted: set kafka.tls.keyPassphrase');
    }
    tried(name, {
      [optionOf(name)]: text,
      ...withPassphrase,
    });
  }
  if (all['key'] !== undefined) {
    tried('key', {
      ...all,
      ...withPassphrase,
    });
  }
}

const optionOf = (name: keyof TlsFiles): string => OPTION[name as keyof typeof OPTION];

function tried(name: keyof TlsFiles, options: Record<string, string>): void {
  try {
    createSecureContext(options);
  } catch (error) {
    fail(name, reasonOf(error as NodeJS.ErrnoException));
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ERR_OSSL_X509_KEY_VALUES_MISMATCH: 'the key does not belong to kafka.tls.certificate',
  ERR_OSSL_BAD_DECRYPT: 'kafka.tls.keyPassphrase does not decrypt the key',
};

const reasonOf = ({ code, message }: NodeJS.ErrnoException): string =>
  REASONS[code ?? ''] ?? `the file is not usable: ${message.split('\n', 1)[0]}`;

function fail(name: keyof TlsFiles, reason: string): never {
  throw new UnskewError('USAGE', `kafka.tls.${name}: ${reason}`);
}
