import type { AxiosInstance } from 'axios';
import { DIRECT_METHODS } from './direct/direct-path.js';
import { type TokenIdentity, withIdentity } from '../token/token-identity.js';

/** All methods of an instance that send, by the place of their config. */
const METHODS: Readonly<Record<string, number>> = {
  request: 0,
  ...DIRECT_METHODS,
  postForm: 2,
  putForm: 2,
  patchForm: 2,
  query: 2,
};

type Method = (...given: unknown[]) => unknown;

/** The same axios instance for one account: its defaults, interceptors and connections are those of the pair. */
export function identifiedInstance(pair: AxiosInstance, identity: TokenIdentity): AxiosInstance {
  const calling =
    (method: Method, place: number): Method =>
    (...given) => {
      // `instance('/path', config)`, and `instance(config)`.
      const at = place === 0 && typeof given[0] === 'string' ? 1 : place;
      given[at] = withIdentity(given[at], identity);
      return method(...given);
    };
  const face = calling(pair as Method, 0);
  Object.setPrototypeOf(face, pair);
  for (const [name, place] of Object.entries(METHODS)) {
    const method: unknown = Reflect.get(pair, name);
    if (typeof method === 'function')
      Object.defineProperty(face, name, { value: calling(method as Method, place) });
  }
  return face as unknown as AxiosInstance;
}
