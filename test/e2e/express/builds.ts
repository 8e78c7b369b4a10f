import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { TokenRequestError } from '../../../lib/errors/token-request.error.js';
import { createProviderHttpClient } from '../../../lib/http/provider-http-client.js';
import { ProviderHttpService } from '../../../lib/http/provider-http.service.js';
import { ClientTls } from '../../../lib/net/client-tls.js';
import { AccessToken } from '../../../lib/secrets/access-token.js';
import { systemClock } from '../../../lib/time/clock.js';
import { Deadline } from '../../../lib/time/deadline.js';
import { undiciTransport } from '../../../lib/undici/index.js';
import { compiledIn } from './build-folder.js';

/**
 * The parts of a build that a comparison uses. Two builds must have parts with these names, in any files. If a part has
 * changed, `clients.ts` must create the client of the older build in the older way.
 */
const THIS_BUILD = {
  AccessToken,
  ClientTls,
  Deadline,
  ProviderHttpService,
  TokenRequestError,
  createProviderHttpClient,
  systemClock,
  undiciTransport,
};

export type Build = typeof THIS_BUILD;
type Part = keyof Build;

/** One of the two clients of a comparison. */
export interface Side {
  readonly name: 'general' | 'express' | 'before' | 'after';
  readonly build: Build;
  readonly generalPathOnly: boolean;
}

/** The expected outcome, and the outcome that is compared with it. */
export type Sides = readonly [Side, Side];

/** The two paths of a call in the sources of this checkout (B17). */
export const PATHS: Sides = [
  { name: 'general', build: THIS_BUILD, generalPathOnly: true },
  { name: 'express', build: THIS_BUILD, generalPathOnly: false },
];

/** Another build, and the sources of this checkout. In both, each call takes the path that the build chooses. */
export async function sidesAgainst(folder: string): Promise<Sides> {
  return [
    { name: 'before', build: await loadedBuild(folder), generalPathOnly: false },
    { name: 'after', build: THIS_BUILD, generalPathOnly: false },
  ];
}

/** Finds each part by its exported name, because a file may have another place in another build. */
async function loadedBuild(folder: string): Promise<Build> {
  const compiled = compiledIn(folder);
  const parts = new Map<string, unknown>();
  for (const name of await readdir(compiled, { recursive: true })) {
    if (!name.endsWith('.js')) continue;
    const file = join(compiled, name);
    const text = await readFile(file, 'utf8');
    const declared = Object.keys(THIS_BUILD).filter((part) => declares(text, part));
    if (declared.length === 0) continue;
    const module: object = await import(pathToFileURL(file).href);
    for (const part of declared) parts.set(part, Reflect.get(module, part));
  }
  const missing = Object.keys(THIS_BUILD).filter(
    (part) => typeof parts.get(part) !== typeof THIS_BUILD[part as Part],
  );
  if (missing.length > 0) throw new Error(`The build in ${folder} has no ${missing.join(', ')}.`);
  return Object.fromEntries(parts) as Build;
}

function declares(text: string, part: string): boolean {
  return new RegExp(String.raw`^export (?:async )?(?:class|function|const|let|var) ${part}\b`, 'm').test(
    text,
  );
}
