import { Agent, type AgentOptions } from 'node:https';
import { describe, expect, it } from 'vitest';
import {
  agentFlaw,
  CONNECTION_FLAWS,
  insistsOnCertificates,
  leavesCertificatesUnchecked,
} from '../../../lib/net/certificate-checks.js';

const agentWith = (place: string, rejectUnauthorized: unknown): object => ({
  [place]: { rejectUnauthorized },
});

describe('S9: the certificate checks of an agent', () => {
  it.each(['options', 'connectOpts', 'proxyOptions'])(
    'are off if rejectUnauthorized is false in its %s',
    (place) => {
      const flaws = [false, true, undefined].map((value) => agentFlaw(agentWith(place, value)));
      expect(flaws).toEqual(['any-server', undefined, undefined]);
      expect(agentFlaw({ [place]: null })).toBeUndefined();
    },
  );

  // An agent of https-proxy-agent 7 has `connectOpts`, and connects to the server without them.
  it.each([
    ['options', [false, true, false]],
    ['connectOpts', [false, false, false]],
    ['proxyOptions', [false, false, false]],
  ])('are on for the server only by its options, not by its %s', (place, expected) => {
    const insists = [false, true, undefined].map((value) => insistsOnCertificates(agentWith(place, value)));
    expect(insists).toEqual(expected);
  });

  it('are neither on nor off for a value that is no agent', () => {
    for (const agent of [undefined, null, 'agent', () => {}])
      expect([agentFlaw(agent), insistsOnCertificates(agent)]).toEqual([undefined, false]);
  });

  it('S10: are not on for an agent whose properties throw, and the error goes nowhere', () => {
    const agent = new Proxy(
      {},
      {
        get() {
          throw new Error('canary');
        },
      },
    );
    expect(insistsOnCertificates(agent)).toBe(false);
  });
});

class OwnAgent extends Agent {}

/** Of the application, for each certificate whose name would not be checked. */
const checkServerIdentity = (): undefined => undefined;

/** What the log and the error at boot say about an agent. */
function sentenceAbout(agent: unknown): string | undefined {
  const flaw = agentFlaw(agent);
  if (flaw === undefined) return undefined;
  const { does, advice } = CONNECTION_FLAWS[flaw];
  return `${does}. ${advice}`;
}

const ANY_SERVER =
  'turns off certificate checks (rejectUnauthorized: false, or NODE_TLS_REJECT_UNAUTHORIZED=0). Remove that. To trust a private authority, set …_CA_FILE, or tls.ca in code.';
const UNCHECKED_NAME =
  'replaces the check of the name in a certificate (checkServerIdentity). Pass an `Agent` of node:https itself: then both checks run.';
const ELSEWHERE =
  'leads to another place than the address of a request (host, port, path, socket or socketPath). Leave these options out.';

describe('the flaws of an agent', () => {
  it.each<[string, () => unknown]>([
    ['no agent', () => undefined],
    ['a text', () => 'agent'],
    ['an agent', () => new Agent()],
    // The certificate must be for that name.
    ['an agent with a servername', () => new Agent({ servername: 'other.example' })],
    // Its copy checks the name as well.
    ['an agent with a function that checks more', () => new Agent({ checkServerIdentity })],
    ['an agent of a subclass', () => new OwnAgent({ keepAlive: true })],
    ['an object without options', () => ({})],
  ])('S9: %s has none', (_, make) => {
    expect(sentenceAbout(make())).toBeUndefined();
  });

  it.each<[string, () => unknown, string]>([
    ['accepts any server', () => new Agent({ rejectUnauthorized: false }), ANY_SERVER],
    [
      'has every flaw',
      () => new OwnAgent({ rejectUnauthorized: false, checkServerIdentity, host: 'evil.example' }),
      ANY_SERVER,
    ],
    ['of a subclass checks the name itself', () => new OwnAgent({ checkServerIdentity }), UNCHECKED_NAME],
    [
      'connects in its own way and checks the name itself',
      () => Object.assign(new Agent({ checkServerIdentity }), { createConnection: () => undefined }),
      UNCHECKED_NAME,
    ],
    [
      'checks the name itself and leads elsewhere',
      () => new OwnAgent({ checkServerIdentity, host: 'evil.example' }),
      UNCHECKED_NAME,
    ],
  ])('S9: an agent that %s', (_, make, sentence) => {
    expect(sentenceAbout(make())).toBe(sentence);
  });

  it.each<[string, object]>([
    ['host', { host: 'evil.example' }],
    ['port', { port: 8443 }],
    ['path', { path: '/admin' }],
    ['socketPath', { socketPath: '/var/run/other.sock' }],
    ['socket', { socket: {} }],
  ])('S6: an agent with a %s leads elsewhere', (name, options: AgentOptions) => {
    for (const agent of [new Agent(), new OwnAgent()]) {
      // The constructor of an agent removes a path. The application may set it later.
      Object.assign(agent.options, options);
      expect(sentenceAbout(agent)).toBe(ELSEWHERE);
      Object.assign(agent.options, { [name]: undefined });
      expect(sentenceAbout(agent)).toBeUndefined();
    }
  });
});

it.each([
  ['0', true],
  ['1', false],
  ['', false],
  [undefined, false],
])('S9: NODE_TLS_REJECT_UNAUTHORIZED=%j leaves certificates unchecked: %s', (value, unchecked) => {
  expect(leavesCertificatesUnchecked({ NODE_TLS_REJECT_UNAUTHORIZED: value })).toBe(unchecked);
});
