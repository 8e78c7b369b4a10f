import { defineProvider } from 'nestjs-provider-auth';

export const warehouse = defineProvider({
  name: 'warehouse',
  environments: ['test', 'live'],
  interfaces: {
    stock: { tokenUrlPer: 'environment', scope: 'stock.read' },
    bankOrders: {
      tokenUrlPer: 'interface',
      tokenPath: /\/oauth2\/token$/,
      audience: 'https://orders.example',
      clientAuth: 'basic',
    },
    returns: { clientAuth: 'private_key_jwt' },
  },
});
