import { statSync } from 'node:fs';
import { ConfigModule } from '@nestjs/config';

/** The command could not do its work, for a reason outside of what it checks: exit code 2. */
export class CannotRun extends Error {}

/** Where ConfigModule looks when nobody tells it. */
const USUAL_FILE = '.env';

/**
 * Lets @nestjs/config itself read the file into the variables of this process: what an application sees is what is
 * checked here, quotes, comments and precedence included.
 */
export async function loadEnvironment(envFile: string | undefined): Promise<void> {
  if (envFile !== undefined && !isFile(envFile))
    throw new CannotRun(
      `There is no file ${envFile}. Name one that exists with --env-file, or leave it out.`,
    );
  try {
    await ConfigModule.forRoot({ envFilePath: envFile ?? USUAL_FILE });
  } catch {
    throw new CannotRun(
      `${envFile ?? USUAL_FILE} cannot be read. See that it is a file and that this user may read it.`,
    );
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
