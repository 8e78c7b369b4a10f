import { defineProvider } from 'nestjs-provider-auth';

export const partner = defineProvider({
  name: 'partner',
  environments: ['live'],
  interfaces: { orders: { scope: 'orders.read', audience: 'https://orders.example' } },
});
