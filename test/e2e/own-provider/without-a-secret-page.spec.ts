import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { posix } from 'node:path';
import type { TLSSocket } from 'node:tls';
import type { DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { createLocalJWKSet, exportJWK, jwtVerify, SignJWT } from 'jose';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseAllDocuments } from 'yaml';
import {
  type DefinedProvider,
  defineProvider,
  type InterfaceDefinition,
  type TokenProvider,
} from '../../../lib/index.js';
import { setVariables } from '../../support/application/variables.js';
import { ClientAuthority, filesOf } from '../../support/http/client-certificates.js';
import { WireServer } from '../../support/http/wire-server.js';
import { codeBlocksOf } from '../../support/package/code-blocks.js';

/*
 * The definitions and the manifests of docs/without-a-secret.md as they stand there: the application gets the variables of the
 * manifest, and the files that Kubernetes would write. `jose` verifies the assertions with the keys of the cluster.
 */

type Definition = DefinedProvider<Readonly<Record<string, InterfaceDefinition>>, string>;

interface Manifest {
  readonly serviceAccount: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  /** The projected token: where its file is, and for whom it is. */
  readonly token?: { readonly file: string; readonly audience: string; readonly seconds: number };
  /** The folder of the secret with the certificate. */
  readonly secretFolder?: string | undefined;
}

interface Volume {
  readonly name: string;
  readonly secret?: object;
  readonly projected?: {
    readonly sources: readonly {
      readonly serviceAccountToken: {
        readonly path: string;
        readonly audience: string;
        readonly expirationSeconds: number;
      };
    }[];
  };
}

interface Deployment {
  readonly kind: string;
  readonly spec: {
    readonly selector: { readonly matchLabels: object };
    readonly template: {
      readonly metadata: { readonly labels: object };
      readonly spec: {
        readonly serviceAccountName?: string;
        readonly containers: readonly {
          readonly env: readonly { readonly name: string; readonly value: string }[];
          readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
        }[];
        readonly volumes: readonly Volume[];
      };
    };
  };
}

interface Options {
  readonly environment: string;
  readonly interfaces: { readonly orders: { readonly live: object } };
}

const ISSUER = 'https://kubernetes.default.svc.cluster.local';
const SUBJECT = 'system:serviceaccount:NAMESPACE:orders';
const CLIENT_ID = 'client-of-test';
const FORM = { grant_type: 'client_credentials' };
const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
const blocks = new Map(
  (await codeBlocksOf('docs/without-a-secret.md')).map(({ name = '', text }) => [name, text]),
);

function definitionIn(name: string): Definition {
  const code = String(blocks.get(name)).replace(/export const \w+ =/, 'return');
  // eslint-disable-next-line @typescript-eslint/no-implied-eval -- the code of the page, unchanged
  return (new Function('defineProvider', code) as (define: typeof defineProvider) => Definition)((given) =>
    // The process knows one definition of each name.
    defineProvider({ ...given }),
  );
}

function manifestIn(name: string): Manifest {
  const documents = parseAllDocuments(String(blocks.get(name))).map((one) => one.toJS() as Deployment);
  const deployment = documents.find(({ kind }) => kind === 'Deployment');
  if (deployment === undefined) throw new Error('The manifest has no deployment.');
  const { selector, template } = deployment.spec;
  expect(template.metadata.labels).toMatchObject(selector.matchLabels);
  const { serviceAccountName, containers, volumes } = template.spec;
  const [{ env, volumeMounts } = { env: [], volumeMounts: [] }] = containers;
  const [volume] = volumes;
  const mount = volumeMounts.find((one) => one.name === volume?.name)?.mountPath ?? 'not mounted';
  const token = volume?.projected?.sources[0]?.serviceAccountToken;
  return {
    serviceAccount: serviceAccountName,
    env: Object.fromEntries(env.map((one) => [one.name, one.value])),
    ...(token && {
      token: {
        file: posix.join(mount, token.path),
        audience: token.audience,
        seconds: token.expirationSeconds,
      },
    }),
    secretFolder: volume?.secret && mount,
  };
}

/** A token endpoint that gives a token if this function throws nothing. */
async function tokenEndpoint(
  check: (form: URLSearchParams, socket: TLSSocket) => unknown,
  options: { clientCa?: string } = {},
) {
  const server = await WireServer.start(options);
  onTestFinished(() => server.close());
  const faults: unknown[] = [];
  const answer = async (response: ServerResponse, body: Buffer, socket: TLSSocket): Promise<void> => {
    const fault: unknown = await Promise.resolve()
      .then(() => check(new URLSearchParams(body.toString()), socket))
      .then(() => undefined)
      .catch((error: unknown) => error);
    if (fault !== undefined) faults.push(fault);
    response.writeHead(fault === undefined ? 200 : 401, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ access_token: 'token', token_type: 'Bearer', expires_in: 3600 }));
  };
  server.handler = (request, response, { body }) => void answer(response, body, request.socket as TLSSocket);
  return { server, faults };
}

async function getToken(definition: Definition, module: DynamicModule): Promise<string> {
  const app = await NestFactory.createApplicationContext(module, { logger: false, abortOnError: false });
  onTestFinished(() => app.close());
  return (
    await app.get<TokenProvider<string, string>>(definition.tokenProviderToken('orders')).getToken()
  ).reveal();
}

/** A cluster that signs service account tokens, and publishes its keys. */
async function givenCluster({ audience, seconds }: { readonly audience: string; readonly seconds: number }) {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const jwk = { ...(await exportJWK(createPublicKey(privateKey))), kid: 'cluster', alg: 'RS256' };
  const jwks = createLocalJWKSet({ keys: [jwk] });
  const token = await new SignJWT({})
    .setProtectedHeader({ alg: 'RS256', kid: 'cluster' })
    .setIssuer(ISSUER)
    .setSubject(SUBJECT)
    .setAudience([audience])
    .setIssuedAt()
    .setExpirationTime(`${seconds} s`)
    .sign(privateKey);
  return {
    token,
    verify: (assertion: string) =>
      jwtVerify(assertion, jwks, { issuer: ISSUER, subject: SUBJECT, audience, maxTokenAge: '1 hour' }),
  };
}

/** The variables of a manifest, with the addresses and the files of this test. */
function applyManifest(
  env: Manifest['env'],
  server: WireServer,
  files: Readonly<Record<string, string>>,
): void {
  const { ca } = filesOf({ ca: server.ca });
  const variables = Object.entries(env).map(([name, value]) => {
    if (name.endsWith('_TOKEN_URL')) return [name, `${server.url}${new URL(value).pathname}`] as const;
    if (name.endsWith('_BASE_URL')) return [name, 'https://api.example'] as const;
    if (name.endsWith('_CLIENT_ID')) return [name, CLIENT_ID] as const;
    if (name.endsWith('_FILE')) return [name, files[value] ?? `no file is at ${value}`] as const;
    return [name, value] as const;
  });
  const [prefix = ''] = Object.keys(env).flatMap((name) => /^(.*_LIVE_)TOKEN_URL$/.exec(name)?.[1] ?? []);
  setVariables({ ...Object.fromEntries(variables), [`${prefix}CA_FILE`]: ca });
}

describe('docs/without-a-secret.md', () => {
  it.each([
    ['keycloak-kubernetes', 'https://HOST/realms/REALM', {}],
    [
      'entra-workload',
      'api://AzureADTokenExchange',
      { client_id: CLIENT_ID, scope: 'api://orders.example/.default' },
    ],
  ])('B32: %s: the projected token of the manifest gets a token', async (name, audience, fields) => {
    const definition = definitionIn(name);
    const { env, serviceAccount, token } = manifestIn(`${name}-manifest`);
    expect([serviceAccount, token?.audience, token?.seconds]).toEqual(['orders', audience, 3600]);
    const kubernetes = await givenCluster({ audience, seconds: token?.seconds ?? 0 });
    const { server, faults } = await tokenEndpoint(async (form) => {
      const { client_assertion: assertion = '', ...others } = Object.fromEntries(form);
      expect(others).toEqual({ ...FORM, ...fields, client_assertion_type: ASSERTION_TYPE });
      await kubernetes.verify(assertion);
    });
    const { projected } = filesOf({ projected: kubernetes.token });
    applyManifest(env, server, { [token?.file ?? '']: projected });
    const module = definition.Module.forRootAsync(definition.config.asProvider());
    expect(await getToken(definition, module)).toBe('token');
    expect(faults).toEqual([]);
  });

  it('B32: tls-client-auth: the certificate of the manifest gets a token', async () => {
    const definition = definitionIn('tls-client-auth');
    const { env, secretFolder = '' } = manifestIn('tls-client-auth-manifest');
    const authority = await ClientAuthority.create();
    const { cert, key } = await authority.issue('orders');
    const { server, faults } = await tokenEndpoint(
      (form, socket) => {
        expect(Object.fromEntries(form)).toEqual({ ...FORM, client_id: CLIENT_ID });
        expect(socket.getPeerCertificate().subject.CN).toBe('orders');
      },
      { clientCa: authority.ca },
    );
    const files = filesOf({ 'tls.crt': cert, 'tls.key': key });
    const mounted = Object.entries(files).map(
      ([name, path]) => [posix.join(secretFolder, name), path] as const,
    );
    applyManifest(env, server, Object.fromEntries(mounted));
    const module = definition.Module.forRootAsync(definition.config.asProvider());
    expect(await getToken(definition, module)).toBe('token');
    expect(faults).toEqual([]);
  });

  it('B32: assertion-function: the function is read', async () => {
    const keycloakPod = definitionIn('keycloak-kubernetes');
    const kubernetes = await givenCluster({ audience: 'https://HOST/realms/REALM', seconds: 600 });
    const { server, faults } = await tokenEndpoint((form) =>
      kubernetes.verify(form.get('client_assertion') ?? ''),
    );
    const { token: tokenFile } = filesOf({ token: kubernetes.token });
    // The page uses a public authority. This server has its own.
    const forRoot = ({ environment, interfaces }: Options) => {
      const live = { ...interfaces.orders.live, tls: { ca: server.ca } };
      return keycloakPod.Module.forRoot({ environment, interfaces: { orders: { live } } } as never);
    };
    const names = {
      keycloakPod: { Module: { forRoot } },
      readFile,
      tokenFile,
      tokenUrl: `${server.url}/token`,
      baseUrl: 'https://api.example',
    };
    const code = `return ${blocks.get('assertion-function')}`;
    // eslint-disable-next-line @typescript-eslint/no-implied-eval -- the code of the page, unchanged
    const run = new Function(...Object.keys(names), code) as (...values: unknown[]) => DynamicModule;
    expect(await getToken(keycloakPod, run(...Object.values(names)))).toBe('token');
    expect(faults).toEqual([]);
  });
});
