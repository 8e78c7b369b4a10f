import { reportCall, sandbox } from '../easy-sandbox.js';

// THE BLOCK

await reportCall({ sandbox: { ...sandbox, clientSecret } });
