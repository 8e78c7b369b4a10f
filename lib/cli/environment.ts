import { statSync } from 'node:fs';
import { ConfigModule } from '@nestjs/config';

/** The command could not run, for a reason that is not part of its checks: exit code 2. */
export class CannotRun extends Error {}

/** The file that ConfigModule reads by default. */
const USUAL_FILE = '.env';

/**
 * Reads the file into the variables of this process. `@nestjs/config` does this, so the command sees what the application
 * sees, with the same quotes, comments and precedence.
 */
export async function loadEnvironment(envFile: string | undefined): Promise<void> {
  if (envFile !== undefined && !isFile(envFile))
    throw new CannotRun(
      `There is no file ${envFile}. Name an existing file with --env-file, or omit the option.`,
    );
  try {
    await ConfigModule.forRoot({ envFilePath: envFile ?? USUAL_FILE });
  } catch {
    throw new CannotRun(
      `${envFile ?? USUAL_FILE} cannot be read. Check that it is a file and that this user may read it.`,
    );
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
