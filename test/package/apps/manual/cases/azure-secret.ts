import { reportCall, sandbox } from '../easy-sandbox.js';

// THE BLOCK

// In place of Azure.
Object.assign(client, {
  getSecret: (name: string) => Promise.resolve({ name, value: sandbox.clientSecret }),
});
await reportCall({ sandbox: { ...sandbox, clientSecret } });
