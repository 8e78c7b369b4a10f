import { reportFirstCall } from '../case.js';

// THE BLOCK

await reportFirstCall(AppModule);
