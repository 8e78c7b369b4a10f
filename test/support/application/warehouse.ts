import { defineProvider } from '../../../lib/index.js';

/** A provider with every way to authenticate, and every field that a token request can have. */
export const warehouse = defineProvider({
  name: 'warehouse',
  environments: ['test', 'live'],
  interfaces: {
    stock: { tokenUrlPer: 'environment', scope: 'stock.read stock.write' },
    bankOrders: {
      tokenUrlPer: 'interface',
      tokenPath: /\/oauth2\/token$/,
      audience: 'https://orders.example',
      clientAuth: 'basic',
    },
    returns: { clientAuth: 'private_key_jwt', resource: 'https://returns.example/v1' },
  },
});

/** Another provider with the same names for its interface and environments. */
export const archive = defineProvider({
  name: 'archive',
  environments: ['test', 'live'],
  interfaces: { stock: { clientAuth: 'basic' } },
});

/** A provider whose clients have no secret. */
export const cluster = defineProvider({
  name: 'cluster',
  environments: ['test', 'live'],
  interfaces: {
    orders: { clientAuth: 'client_assertion', scope: 'orders.read' },
    stock: { clientAuth: 'tls_client_auth' },
  },
});
