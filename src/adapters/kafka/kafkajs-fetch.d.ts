/**
 * Types of the client's internal cluster. The public consumer needs a group, which is slow to join;
 * reading a partition from an offset uses the cluster directly.
 */
declare module 'kafkajs/src/cluster/index.js' {
  import type { Broker, ISocketFactory, KafkaConfig, KafkaMessage, Logger } from 'kafkajs';

  interface FetchedPartition {
    readonly partition: number;
    readonly highWatermark: string;
    readonly messages: readonly (KafkaMessage & {
      readonly isControlRecord?: boolean;
    })[];
  }

  interface FetchRequest {
    readonly replicaId: number;
    readonly isolationLevel: number;
    readonly maxWaitTime: number;
    readonly minBytes: number;
    readonly maxBytes: number;
    readonly topics: readonly {
      readonly topic: string;
      readonly partitions: readonly {
        readonly partition: number;
        readonly fetchOffset: string;
        readonly maxBytes: number;
      }[];
    }[];
  }

  type FetchingBroker = Omit<Broker, 'fetch'> & {
    fetch(request: FetchRequest): Promise<{
      readonly responses: readonly { readonly partitions: readonly FetchedPartition[] }[];
    }>;
  };

  export default class Cluster {
    constructor(
      options: Pick<
        KafkaConfig,
        'brokers' | 'ssl' | 'sasl' | 'clientId' | 'connectionTimeout' | 'requestTimeout' | 'retry'
      > & {
        readonly logger: Logger;
        readonly socketFactory: ISocketFactory;
        readonly enforceRequestTimeout: boolean;
        readonly metadataMaxAge: number;
        readonly allowAutoTopicCreation: boolean;
        readonly maxInFlightRequests: number | null;
        readonly isolationLevel: number;
      },
    );
    connect(): Promise<void>;
    disconnect(): Promise<void>;
    addTargetTopic(topic: string): Promise<void>;
    refreshMetadata(): Promise<void>;
    refreshMetadataIfNecessary(): Promise<void>;
    findLeaderForPartitions(
      topic: string,
      partitions: readonly number[],
    ): Readonly<Record<string, readonly number[]>>;
    fetchTopicsOffset(
      topics: readonly {
        readonly topic: string;
        readonly fromBeginning: boolean;
        readonly partitions: readonly { readonly partition: number }[];
      }[],
    ): Promise<
      readonly {
        readonly topic: string;
        readonly partitions: readonly { readonly partition: number; readonly offset: string }[];
      }[]
    >;
    findBroker(asked: { nodeId: string }): Promise<FetchingBroker>;
  }
}

declare module 'kafkajs/src/network/socketFactory.js' {
  import type { ISocketFactory } from 'kafkajs';

  const socketFactory: () => ISocketFactory;
  export default socketFactory;
}
