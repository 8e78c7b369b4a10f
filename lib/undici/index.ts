export { undiciTransport } from './undici-transport.js';
export type { ConnectOptions, UndiciTransportOptions } from './transport-options.js';
