import { statSync } from 'node:fs';
import { ConfigModule } from '@nestjs/config';

/** The command could not run, for a reason that is not part of its checks: exit code 2. */
export class CannotRun extends Error {}

/** Where `simulate` writes its settings. */
export const SIMULATOR_FOLDER = '.provider-simulator';

/** The file that ConfigModule reads by default. */
export const USUAL_FILE = '.env';

/**
 * Reads the file into the variables of this process. `@nestjs/config` does this, so the command sees what the application
 * sees, with the same quotes, comments and precedence.
 */
export async function loadEnvironment(settings: string | undefined): Promise<void> {
  try {
    if (settings !== undefined && !isFile(settings))
      throw new CannotRun(
        `There is no file ${settings}. Name an existing file with --settings, or omit the option.`,
      );
    await ConfigModule.forRoot({ envFilePath: settings ?? USUAL_FILE });
  } catch (error) {
    if (error instanceof CannotRun) throw error;
    throw new CannotRun(
      `${settings ?? USUAL_FILE} cannot be read. Check that it is a file and that this user may read it.`,
    );
  }
}

/** Throws if the system does not say, for example because this user may not enter the folder. */
export function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
