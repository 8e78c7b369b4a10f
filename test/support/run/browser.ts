import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';

/** Names another Chromium or Chrome. */
const VARIABLE = 'PROVIDER_AUTH_CHROMIUM';

const USUAL_PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/** Starts the Chromium of the operating system. If there is none, the error says what to install. */
export function startBrowser(): Promise<Browser> {
  const places = [process.env[VARIABLE], ...USUAL_PLACES].filter((place) => place !== undefined);
  const executablePath = places.find((place) => existsSync(place));
  if (executablePath === undefined)
    throw new Error(
      `There is no Chromium: install it (Debian: apt-get install chromium), or name its program in ${VARIABLE}.`,
    );
  return chromium.launch({ executablePath, timeout: 120_000 });
}
