import { describe, expect, it } from 'vitest';
import { run } from '../../../../lib/cli/program.js';

async function refused(args: readonly string[]): Promise<string> {
  const texts = { stdout: '', stderr: '' };
  const code = await run(['simulate', ...args], {
    stdout: { write: (text: string) => (texts.stdout += text) },
    stderr: { write: (text: string) => (texts.stderr += text) },
  });
  expect({ code, stdout: texts.stdout }).toEqual({ code: 2, stdout: '' });
  return texts.stderr;
}

describe('the options of provider-auth simulate', () => {
  it.each([
    [['--port', 'http'], 'a number from 0 to 65535'],
    [['--port', '65536'], 'a number from 0 to 65535'],
    [['--port', '-1'], 'a number from 0 to 65535'],
    [['--lifetime', '0'], 'a number of seconds above 0'],
    [['--lifetime', '1h'], 'a number of seconds above 0'],
    [['--latency', '-5'], 'a number of milliseconds'],
    [['--latency', '600001'], 'a number of milliseconds'],
    [['--token-status', '50'], 'a status from 200 to 999'],
    [['--api-status', '503:0'], 'a status from 200 to 999'],
    [['--token-status', '503:00'], 'a status from 200 to 999'],
    [['--api-status'], 'argument missing'],
    [['--unknown'], "unknown option '--unknown'"],
    [['something'], 'too many arguments'],
  ])('B25: exit with 2 and say what is expected: %j', async (args, text) => {
    expect(await refused(args)).toContain(text);
  });

  it('B25: without the files of the page the command says so', async () => {
    expect(await refused(['--port', '0'])).toMatch(/The file [\w.]+ of the page is missing\./);
  });

  it('B25: the help names each option', async () => {
    let text = '';
    const write = (more: string) => (text += more);
    expect(await run(['simulate', '--help'], { stdout: { write }, stderr: { write } })).toBe(0);
    const options =
      'port settings ca keep-ca demand-client-certificate force accounts lifetime latency token-status api-status json no-page';
    for (const option of options.split(' ')) expect(text).toContain(`--${option}`);
  });
});
