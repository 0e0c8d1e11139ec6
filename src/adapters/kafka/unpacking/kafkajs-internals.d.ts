/**
 * Internal modules of the client that decode responses. It has no option to bound decompression.
 */
declare module 'kafkajs/src/protocol/requests/fetch/*' {
  const response: { decode(answer: Buffer): Promise<unknown> };
  export default response;
}
