import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PAGE_FOLDER } from '../../../support/application/simulate.js';

it('B25: the hour after midnight is 00 on the page, in English too', async () => {
  const { timeText } = (await import(pathToFileURL(join(PAGE_FOLDER, 'timeline.js')).href)) as {
    timeText: (at: string) => string;
  };
  const afterMidnight = new Date(2026, 0, 1, 0, 5, 1);
  expect(timeText(afterMidnight.toISOString())).toMatch(/^00\D05\D01/);
});
