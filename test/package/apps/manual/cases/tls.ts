import { readFileSync } from 'node:fs';
import type { InterfaceOptions } from 'nestjs-provider-auth';
import { reportCall, sandbox } from '../easy-sandbox.js';

// THE BLOCK

await reportCall(easy);
