import { firstValueFrom } from 'rxjs';
import { report, start } from '../case.js';

// THE BLOCK

try {
  const app = await start(AppModule);
  report(await firstValueFrom(app.get(CheckoutService).payment('1')));
  await app.close();
} catch (error) {
  report((error as Error).message);
}
