import { createRequire } from 'node:module';
import * as main from 'nestjs-provider-auth';
import * as opentelemetry from 'nestjs-provider-auth/opentelemetry';
import * as redis from 'nestjs-provider-auth/redis';
import * as terminus from 'nestjs-provider-auth/terminus';
import * as testing from 'nestjs-provider-auth/testing';
import * as undici from 'nestjs-provider-auth/undici';

type Names = Record<string, unknown>;

/** The entries as this application loads them: with `import` or with `require`, depending on its compilation. */
const STATIC: Record<string, Names> = {
  'nestjs-provider-auth': main,
  'nestjs-provider-auth/opentelemetry': opentelemetry,
  'nestjs-provider-auth/redis': redis,
  'nestjs-provider-auth/terminus': terminus,
  'nestjs-provider-auth/testing': testing,
  'nestjs-provider-auth/undici': undici,
};

const load = createRequire(process.argv[1] ?? '');

/** Lists for each entry the names that differ between `import` and `require`. The lists should be empty. */
export async function differencesByEntry(): Promise<Record<string, string[]>> {
  const found = Object.entries(STATIC).map(async ([specifier, compiled]) => {
    const imported: Names = await import(specifier);
    const required: Names = load(specifier);
    const names = Object.keys(compiled).filter((name) => name !== '__esModule' && name !== 'default');
    if (names.length === 0) return [specifier, ['it is empty']] as const;
    const different = (name: string) =>
      compiled[name] !== imported[name] || compiled[name] !== required[name];
    return [specifier, names.filter(different)] as const;
  });
  return Object.fromEntries(await Promise.all(found));
}
