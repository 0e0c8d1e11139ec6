/** The client has no door for bounds: these modules of its own are what it decodes answers with. */
declare module 'kafkajs/src/protocol/requests/fetch/*' {
  const response: { decode(answer: Buffer): Promise<unknown> };
  export default response;
}
