/**
 * @typedef {object} SecureListener
 * @property {string} certificate PEM file with the private key and the certificate, in this order.
 * @property {string} username
 * @property {string} password
 * @property {Tokens} [tokens] Whose tokens are taken.
 * @property {string} [clients] PEM file of the authority whose clients are taken by their certificate
 *   alone, by a listener of their own.
 * @property {boolean} [lacksRights] Whether the user may do nothing but what rules allow; who comes by
 *   the plain listener may do all.
 */

/**
 * @typedef {object} Tokens
 * @property {string} handler Class that validates them.
 * @property {Readonly<Record<string, string>>} [properties] Of the listener, for the class.
 * @property {string} [classes] Folder with the class, if it is not Kafka's own.
 * @property {readonly string[]} [javaOptions]
 * @property {number} [longestSessionMs] After so long a client has to show a token again.
 */

const BY_RULES = {
  'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
  'super.users': 'User:ANONYMOUS',
};

/**
 * What lets a broker take one user by TLS and SASL, by any of the mechanisms, beside its plain
 * listener.
 *
 * @param {SecureListener} secure
 * @param {number} port
 */
export function secureListener({ certificate, username, password, tokens, lacksRights }, port) {
  const jaas = 'org.apache.kafka.common.security';
  const scram = ['SCRAM-SHA-256', 'SCRAM-SHA-512'];
  const listener = 'listener.name.secure';
  return {
    brokers: `localhost:${port}`,
    /** @type {Record<string, string>} */
    properties: {
      [`${listener}.ssl.keystore.type`]: 'PEM',
      [`${listener}.ssl.keystore.location`]: certificate,
      [`${listener}.sasl.enabled.mechanisms`]: [
        'PLAIN',
        ...scram,
        ...(tokens ? ['OAUTHBEARER'] : []),
      ].join(),
      ...(tokens && byToken(tokens, listener)),
      ...(lacksRights && BY_RULES),
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

/**
 * @param {Tokens} tokens
 * @param {string} listener
 */
function byToken({ handler, properties = {}, longestSessionMs }, listener) {
  const prefix = `${listener}.oauthbearer`;
  const own = Object.entries(properties).map(([name, value]) => [`${prefix}.${name}`, value]);
  const module = 'org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule';
  return {
    [`${prefix}.sasl.jaas.config`]: `${module} required;`,
    [`${prefix}.sasl.server.callback.handler.class`]: handler,
    ...(longestSessionMs && { [`${prefix}.connections.max.reauth.ms`]: String(longestSessionMs) }),
    ...Object.fromEntries(own),
  };
}

/**
 * What lets a broker take clients by their certificate, without SASL.
 *
 * @param {string} certificate The broker's, as of `SecureListener`.
 * @param {string} clients PEM file of the clients' authority.
 * @param {number} port
 */
export function mutualListener(certificate, clients, port) {
  const listener = 'listener.name.mutual';
  return {
    brokers: `localhost:${port}`,
    properties: {
      [`${listener}.ssl.keystore.type`]: 'PEM',
      [`${listener}.ssl.keystore.location`]: certificate,
      [`${listener}.ssl.truststore.type`]: 'PEM',
      [`${listener}.ssl.truststore.location`]: clients,
      [`${listener}.ssl.client.auth`]: 'required',
    },
  };
}
