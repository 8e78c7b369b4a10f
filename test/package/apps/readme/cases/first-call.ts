import { firstValueFrom } from 'rxjs';
import { start, tell } from '../case.js';

// THE BLOCK

try {
  const app = await start(AppModule);
  tell(await firstValueFrom(app.get(CheckoutService).payment('1')));
  await app.close();
} catch (error) {
  tell((error as Error).message);
}
