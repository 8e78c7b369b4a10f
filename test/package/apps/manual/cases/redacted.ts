import { report } from '../case.js';
import { app, tokens } from '../easy-app.js';

const token = await tokens.getToken();

// THE BLOCK

report(token.fingerprint);
await app.close();
