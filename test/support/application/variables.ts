import { onTestFinished } from 'vitest';

/** Sets variables of this process until the test ends. */
export function setVariables(variables: NodeJS.ProcessEnv): void {
  Object.assign(process.env, variables);
  onTestFinished(() => {
    for (const name of Object.keys(variables)) delete process.env[name];
  });
}
