/**
 * @typedef {object} SecureListener
 * @property {string} certificate PEM file with the private key and the certificate, in this order.
 * @property {string} username
 * @property {string} password
 */

/**
 * What lets a broker take one user by TLS and SASL, by any of the mechanisms, beside its plain
 * listener.
 *
 * @param {SecureListener} secure
 * @param {number} port
 */
export function secureListener({ certificate, username, password }, port) {
  const jaas = 'org.apache.kafka.common.security';
  const scram = ['SCRAM-SHA-256', 'SCRAM-SHA-512'];
  const listener = 'listener.name.secure';
  return {
    brokers: `localhost:${port}`,
    /** @type {Record<string, string>} */
    properties: {
      [`${listener}.ssl.keystore.type`]: 'PEM',
      [`${listener}.ssl.keystore.location`]: certificate,
      [`${listener}.sasl.enabled.mechanisms`]: ['PLAIN', ...scram].join(),
      [`${listener}.plain.sasl.jaas.config`]: `${jaas}.plain.PlainLoginModule required user_${username}="${password}";`,
      ...Object.fromEntries(
        scram.map((name) => [
          `${listener}.${name.toLowerCase()}.sasl.jaas.config`,
          `${jaas}.scram.ScramLoginModule required;`,
        ]),
      ),
    },
    /** Users of SCRAM are kept with the cluster's metadata, from its first day. */
    formatOptions: scram.flatMap((name) => [
      '--add-scram',
      `${name}=[name=${username},password=${password}]`,
    ]),
  };
}
