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

export interface OwnBroker extends BrokerControl {
  stop(): Promise<void>;
}

export interface OwnRedis {
  readonly url: string;
  stopRedis(): Promise<void>;
  /** On the same port and data as before. */
  startRedis(): Promise<void>;
  stop(): Promise<void>;
}

/** Kafka and Redis on free loopback ports, or those of KAFKA_BROKERS and REDIS_URL. */
export function startServices(log?: (message: string) => void): Promise<Services>;

/** A broker of one's own, whatever the environment says, for tests that stop and start it. */
export function startOwnBroker(log?: (message: string) => void): Promise<OwnBroker>;

/** A Redis of one's own that keeps everything on the disk. */
export function startOwnRedis(log?: (message: string) => void): Promise<OwnRedis>;

/** Makes sure that a command is there, installing its Debian package where the process may. */
export function requireCommand(
  command: string,
  debianPackage: string,
  log: (message: string) => void,
): Promise<void>;
