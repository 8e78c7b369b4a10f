import { reportCall, sandbox } from '../easy-sandbox.js';

// THE BLOCK

// In place of Google Cloud. It answers with a Buffer, too.
Object.assign(client, {
  accessSecretVersion: ({ name }: { name: string }) =>
    Promise.resolve([{ name, payload: { data: Buffer.from(sandbox.clientSecret) } }]),
});
await reportCall({ sandbox: { ...sandbox, clientSecret } });
