import { type Catalogue, capitals } from '../catalogue/catalogue.js';
import { type EnvironmentReading, type InactiveProfile, readEnvironment } from './environment-reading.js';
import { readSettings } from './read-rows.js';
import type { OptionsNode } from './options-node.js';
import { settingsOfEnvironment } from './process-env/variable-names.js';
import { SETTINGS } from './table/settings.js';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { safely } from '../values/safely.js';

/** The environments of each interface, correct or wrong. The other checks then report only their own problems. */
export type ConfiguredInterfaces = ReadonlyMap<string, readonly string[]>;

interface InterfacesSection {
  readonly configured: ConfiguredInterfaces;
  readonly profiles: readonly InactiveProfile[];
  /** The environments that have `tls`, right or wrong. */
  readonly withTls: readonly OptionsNode[];
}

/** Reads `interfaces`: every interface of the catalogue. */
export async function readInterfaces(catalogue: Catalogue, root: OptionsNode): Promise<InterfacesSection> {
  const configured = new Map<string, readonly string[]>();
  const readings: EnvironmentReading[] = [];
  const node = root.child('interfaces');
  if (node === undefined) return { configured, profiles: [], withTls: [] };

  node.refuseUnknown(catalogue.interfaces);
  const given = catalogue.interfaces.filter((name) => node.has(name));
  if (given.length === 0) refuseNoInterface(catalogue, root);
  for (const name of given) {
    const own = node.child(name);
    const environments = catalogue.environments.filter((environment) => own?.has(environment));
    configured.set(name, environments);
    if (own === undefined) continue;
    readings.push(...(await readInterface(catalogue, name, own)));
    if (environments.length === 0) refuseNoEnvironment(catalogue, name, node);
  }
  return {
    configured,
    profiles: readings.flatMap(({ profile }) => profile ?? []),
    withTls: readings.flatMap(({ node: environment, hasTls }) => (hasTls ? [environment] : [])),
  };
}

async function readInterface(
  catalogue: Catalogue,
  name: string,
  node: OptionsNode,
): Promise<EnvironmentReading[]> {
  const { environments, entryOf } = catalogue;
  const place = { catalogue, interface: name };
  const { tokenUrl } = readSettings(node, SETTINGS.interface, place, environments).values;
  const shared = { tokenUrl, name: node.nameOf('tokenUrl') };
  const readings = await Promise.all(
    environments.flatMap((environment) => {
      const own = node.child(environment);
      const pair = { interface: name, environment };
      return own === undefined ? [] : [readEnvironment(catalogue, pair, own, shared)];
    }),
  );
  for (const member of entryOf(name).unshared ?? []) refuseShared(readings, member, REMEDIES[member](name));
  return readings;
}

const REMEDIES = {
  clientId: () => 'Each environment has its own credentials: put each in its place.',
  tokenUrl: (name: string) => `Each environment of ${name} has its own token URL: put each in its place.`,
};

/**
 * If the client id decides the environment, two environments with the same client id would mix up their tokens (S5). If each
 * environment has its own token URL (S4), the same URL in two environments is wrong in one of them.
 */
function refuseShared(
  readings: readonly EnvironmentReading[],
  member: 'clientId' | 'tokenUrl',
  remedy: string,
): void {
  for (const [index, { node, [member]: value }] of readings.entries()) {
    const twin = readings.slice(0, index).find((earlier) => earlier[member] === value);
    if (twin !== undefined && value !== undefined)
      node.refuse(member, `is the same as ${twin.node.nameOf(member)}. ${remedy}`);
  }
}

function refuseNoInterface(catalogue: Catalogue, root: OptionsNode): void {
  const names = catalogue.interfaces.join(' or ');
  root.refuse(
    'interfaces',
    root.origin === undefined
      ? `configures no interface. Add ${names}.`
      : `configures no interface: none of the variables of ${names} is set. ${adviceOnMissingVariables(catalogue)}`,
  );
}

/** Names all settings that an environment needs, because no other problem names them. */
function refuseNoEnvironment(catalogue: Catalogue, name: string, interfaces: OptionsNode): void {
  const choices = catalogue.environments.map((environment) => {
    const settings = settingsOfEnvironment(catalogue, { interface: name, environment });
    return `for ${environment} ${settings.map(({ path, variable }) => (interfaces.origin === undefined ? path.split('.').slice(3).join('.') : variable)).join(', ')}`;
  });
  interfaces.refuse(name, `has no environment. Set ${choices.join('; or ')}.`);
}

/** A line that sets a variable of an interface to some value. */
function lineOf({ name, interfaces }: Catalogue): RegExp {
  const owner = `${capitals(name)}_(?:${interfaces.map(capitals).join('|')})`;
  return new RegExp(`^[ \\t]*(?:export[ \\t]+)?${owner}_\\w+[ \\t]*[=:][ \\t]*\\S`, 'm');
}

/**
 * What to do if no variable of any interface is set (B29). Most often the variables are in a `.env` file that the process
 * does not read, while the doctor reads it and finds nothing wrong.
 */
export function adviceOnMissingVariables(catalogue: Catalogue): string {
  // It throws if the directory was removed.
  const folder = safely(() => process.cwd(), '(unknown)');
  const text = safely(() => readFileSync(join(folder, '.env'), 'utf8'), '');
  return lineOf(catalogue).test(text)
    ? `The file .env in the working directory, ${folder}, has such variables, but it was not read. Import ConfigModule.forRoot() in the root module.`
    : `Pass them to this process. If they are in a .env file: ConfigModule.forRoot() reads it from the working directory, which is ${folder}.`;
}
