import { firstValueFrom } from 'rxjs';
import { start, tell } from '../case.js';

// THE BLOCK

try {
  const app = await start(AppModule);
  const answer = await firstValueFrom(app.get(CheckoutService).payment('1'));
  tell(answer.data);
  await app.close();
} catch (error) {
  tell((error as Error).message);
}
