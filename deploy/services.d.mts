/** Control over the broker's process; refused where the broker was not started here. */
export interface BrokerControl {
  readonly brokers: string;
  stopBroker(): Promise<void>;
  /** On the same port and data as before. */
  startBroker(): Promise<void>;
}

export interface Services {
  /** `host:port`, comma-separated. */
  readonly kafkaBrokers: string;
  readonly redisUrl: string;
  readonly kafka: BrokerControl;
  /** Ends what was started and removes its temporary files. */
  stop(): Promise<void>;
}

/** A listener of TLS and SASL for one user. */
export interface SecureListener {
  /** PEM file with the private key and the certificate, in this order. */
  readonly certificate: string;
  readonly username: string;
  readonly password: string;
  /** Whose tokens are taken by OAUTHBEARER. */
  readonly tokens?: {
    /** Class that validates them. */
    readonly handler: string;
    /** Of the listener, for the class. */
    readonly properties?: Readonly<Record<string, string>>;
    /** Folder with the class, if it is not Kafka's own. */
    readonly classes?: string;
    readonly javaOptions?: readonly string[];
    /** After so long a client has to show a token again. */
    readonly longestSessionMs?: number;
  };
  /** PEM file of the authority whose clients are taken by their certificate alone. */
  readonly clients?: string;
  /** Whether the user may do nothing but what rules allow; who comes by the plain listener may do all. */
  readonly lacksRights?: boolean;
}

export interface OwnBroker extends BrokerControl {
  /** The same broker where TLS and a user are asked for. */
  readonly secureBrokers: string | undefined;
  /** The same broker where clients are known by their certificates. */
  readonly mutualBrokers: string | undefined;
  /** Where the broker keeps the topics. */
  readonly logFolder: string;
  stop(): Promise<void>;
}

export interface OwnCluster {
  /** `host:port`, comma-separated. */
  readonly brokers: string;
  /** Stops the broker in good order, and starts it on the same port and data. From 0. */
  restart(n: number): Promise<void>;
  stop(): Promise<void>;
}

export interface OwnRedis {
  readonly url: string;
  stopRedis(): Promise<void>;
  /** On the same port and data as before. */
  startRedis(): Promise<void>;
  /** It stands still with its connections open; what is sent meanwhile waits. */
  freezeRedis(): void;
  thawRedis(): void;
  stop(): Promise<void>;
}

/** A schema registry with Confluent's API. */
export interface LocalRegistry {
  /** Of that API. */
  readonly url: string;
  readonly port: number;
  stop(): Promise<void>;
}

export type OwnRegistry = LocalRegistry;

/** Kafka and Redis on free loopback ports, or those of KAFKA_BROKERS and REDIS_URL. */
export function startServices(log?: (message: string) => void): Promise<Services>;

/**
 * A broker of one's own, whatever the environment says, for tests that stop and start it.
 *
 * @param cable takes the port of one more listener, returns the port that its clients are sent to:
 *   what stands between can be cut
 */
export function startOwnBroker(
  log?: (message: string) => void,
  secure?: SecureListener,
  cable?: (port: number) => Promise<number>,
): Promise<OwnBroker>;

/** Several brokers that are one cluster: each topic is on all of them, and one may be away. */
export function startOwnCluster(
  count: number,
  log?: (message: string) => void,
): Promise<OwnCluster>;

/** A Redis of one's own that keeps everything on the disk. */
export function startOwnRedis(log?: (message: string) => void): Promise<OwnRedis>;

/** Makes sure that a command is there, installing its Debian package where the process may. */
export function requireCommand(
  command: string,
  debianPackage: string,
  log: (message: string) => void,
): Promise<void>;

/** A schema registry of one's own, in memory: on a free port, or on the one that is given. */
export function startOwnRegistry(
  log?: (message: string) => void,
  port?: number,
): Promise<OwnRegistry>;
/** The class path of Kafka's own jars, for classes that a broker is given. */
export function kafkaClassPath(): Promise<string>;
