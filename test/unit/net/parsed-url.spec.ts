import { expect, it } from 'vitest';
import { parsedUrl } from '../../../lib/net/parsed-url.js';

it('C4: a text that is no URL gives undefined instead of an error', () => {
  expect(parsedUrl('https://api.example.com/v1')?.href).toBe('https://api.example.com/v1');
  expect(parsedUrl('api.example.com')).toBeUndefined();
  expect(parsedUrl('')).toBeUndefined();
});
