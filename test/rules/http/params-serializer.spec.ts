import axios, { type AxiosInstance, type ParamsSerializerOptions } from 'axios';
import { expect, it } from 'vitest';
import { given } from '../../support/http/given.js';

type Visited = Parameters<NonNullable<ParamsSerializerOptions['visitor']>>;

/** Functions of a caller that note what they are called on. */
const SERIALIZERS: Record<string, (note: (self: unknown) => void) => ParamsSerializerOptions> = {
  visitor: (note) => ({
    visitor(this: object, ...[value, key, path, helpers]: Visited) {
      note(this);
      return helpers.defaultVisitor.call(this as never, value, key, path, helpers);
    },
  }),
  encode: (note) => ({
    encode(this: object, text: string) {
      note(this);
      return encodeURIComponent(text);
    },
  }),
};

const nameOf = (self: unknown): string | undefined => (self as object | undefined)?.constructor.name;

const params: Record<string, unknown> = { a: 1, b: [2, 3], c: { d: 'e f' } };

it.each(Object.entries(SERIALIZERS))(
  'C2: %s of paramsSerializer is called on what plain axios calls it on, and the query is the same',
  async (_, serializerOf) => {
    const { easy, provider } = await given()
      .simulator({}, () => {})
      .app((one) => one.options())
      .start();
    const expected: (string | undefined)[] = [];
    const plain = serializerOf((self) => expected.push(nameOf(self)));
    const query = axios.getUri({ url: '', params, paramsSerializer: plain });
    const calls: ((client: AxiosInstance, paramsSerializer: ParamsSerializerOptions) => Promise<unknown>)[] =
      [
        (client, paramsSerializer) => client.get('/x', { params, paramsSerializer }),
        (client, paramsSerializer) => client.get('/x', { params, paramsSerializer, responseType: 'stream' }),
        (client, paramsSerializer) => client.get('/x', { params, paramsSerializer, adapter: 'http' }),
      ];
    for (const call of calls) {
      const seen: typeof expected = [];
      await call(
        easy.axiosRef,
        serializerOf((self) => seen.push(nameOf(self))),
      );
      expect(new Set(seen)).toEqual(new Set(['AxiosURLSearchParams']));
      expect(seen.slice(0, expected.length)).toEqual(expected);
      expect(provider.apiRequests.at(-1)?.path).toBe(`/x${query}`);
    }
  },
);
