import axios from 'axios';
import { afterEach, describe, expect, it } from 'vitest';
import { examine } from '../../../lib/cli/doctor.js';
import { TextReporter } from '../../../lib/cli/text-reporter.js';

const installed: unknown = Reflect.get(axios, 'VERSION');

afterEach(() => void Reflect.set(axios, 'VERSION', installed));

async function linesOfDoctor(): Promise<string[]> {
  let text = '';
  const output = { write: (part: string) => void (text += part) };
  await examine([], {}, {}, new TextReporter(output, {}));
  return text.split('\n').filter((line) => line.includes('axios'));
}

describe('the doctor, about the installed axios', () => {
  it('B36: says in one line that calls are slower with an axios that was never compared', async () => {
    Reflect.set(axios, 'VERSION', '1.22.0');
    expect(await linesOfDoctor()).toEqual([
      expect.stringMatching(
        /→ Calls are slower with axios 1\.22\.0, .*only used with axios 1\.20\.0 to 1\.21\.1\.$/,
      ),
    ]);
  });

  it('B36: says nothing about a compared axios', async () => {
    expect(await linesOfDoctor()).toEqual([]);
  });
});
