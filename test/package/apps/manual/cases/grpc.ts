import { report } from '../case.js';
import { app, tokens } from '../easy-app.js';

// THE BLOCK

/** What a call of this client would send. */
async function sent(): Promise<string> {
  const call = { method_name: 'find', service_url: 'https://api.example/orders' };
  const [header] = (await bearer.generateMetadata(call)).get('authorization');
  return String(header);
}

const first = await sent();
let refused = 0;
const second = await withRenewal(async () => {
  refused += 1;
  if (refused === 1) throw Object.assign(new Error('16 UNAUTHENTICATED'), { code: status.UNAUTHENTICATED });
  return sent();
});
const current = `Bearer ${(await tokens.getToken()).reveal()}`;
report({ isBearer: /^Bearer \S+$/.test(first), isRenewed: second !== first, isCurrent: second === current });
await app.close();
