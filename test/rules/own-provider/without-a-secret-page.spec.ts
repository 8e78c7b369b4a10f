import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { posix } from 'node:path';
import type { TLSSocket } from 'node:tls';
import type { DynamicModule } from '@nestjs/common';
import { createLocalJWKSet, exportJWK, jwtVerify, SignJWT } from 'jose';
import { expect, it, onTestFinished } from 'vitest';
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
import { bootWith } from '../../support/application/boot.js';

/*
 * The definitions and the manifests of docs/without-a-secret.md as they stand there: the application gets the variables of the
 * manifest, and the files that Kubernetes would write. `jose` verifies the assertions with the keys of the cluster.
 */

type Definition = DefinedProvider<Readonly<Record<string, InterfaceDefinition>>, string>;

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

/** The deployment of a manifest: its variables, and what its only volume mounts. */
function manifestIn(name: string) {
  const documents = parseAllDocuments(String(blocks.get(name)));
  const deployment = documents.find((one) => one.get('kind') === 'Deployment');
  const at = (path: string): unknown => valueAt(deployment?.toJS(), `spec.${path}`);
  const pod = (path: string) => at(`template.spec.${path}`);
  const token = (path: string) => pod(`volumes.0.projected.sources.0.serviceAccountToken.${path}`);
  expect(at('template.metadata.labels')).toMatchObject(at('selector.matchLabels') as object);
  expect(pod('containers.0.volumeMounts.0.name')).toBe(pod('volumes.0.name'));
  const folder = String(pod('containers.0.volumeMounts.0.mountPath'));
  const env = pod('containers.0.env') as { name: string; value: string }[];
  return {
    env: Object.fromEntries(env.map((one) => [one.name, one.value])),
    serviceAccount: pod('serviceAccountName'),
    token: {
      file: posix.join(folder, String(token('path'))),
      audience: token('audience'),
      seconds: Number(token('expirationSeconds')),
    },
    secretFolder: pod('volumes.0.secret') === undefined ? 'no secret' : folder,
  };
}

const valueAt = (value: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>((inner, key) => (inner as Record<string, unknown> | undefined)?.[key], value);

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
  const { app } = await bootWith([module]);
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
  env: Readonly<Record<string, string>>,
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
  expect([serviceAccount, token.audience, token.seconds]).toEqual(['orders', audience, 3600]);
  const kubernetes = await givenCluster({ audience, seconds: token.seconds });
  const { server, faults } = await tokenEndpoint(async (form) => {
    const { client_assertion: assertion = '', ...others } = Object.fromEntries(form);
    expect(others).toEqual({ ...FORM, ...fields, client_assertion_type: ASSERTION_TYPE });
    await kubernetes.verify(assertion);
  });
  const { projected } = filesOf({ projected: kubernetes.token });
  applyManifest(env, server, { [token.file]: projected });
  const module = definition.Module.forRootAsync(definition.config.asProvider());
  expect(await getToken(definition, module)).toBe('token');
  expect(faults).toEqual([]);
});

it('B32: tls-client-auth: the certificate of the manifest gets a token', async () => {
  const definition = definitionIn('tls-client-auth');
  const { env, secretFolder } = manifestIn('tls-client-auth-manifest');
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
