import { step } from '../case.js';

// THE BLOCK

await step('consult the doctor');
await provider.close();
