import { statSync } from 'node:fs';
import { ConfigModule } from '@nestjs/config';

/** The command could not run, for a reason that is not part of its checks: exit code 2. */
export class CannotRun extends Error {}

/** Where `simulate` writes its settings. */
export const SIMULATOR_FOLDER = '.provider-simulator';

/** The file that ConfigModule reads by default. */
export const USUAL_FILE = '.env';

/**
 * Reads the files into the variables of this process: what an earlier file sets stays. `@nestjs/config` does this, so the command sees
 * what the application sees, with the same quotes, comments and precedence.
 */
export async function loadEnvironment(settings: readonly string[] = []): Promise<void> {
  for (const file of settings.length > 0 ? settings : [USUAL_FILE])
    try {
      if (file !== USUAL_FILE && !isFile(file))
        throw new CannotRun(
          `There is no file ${file}. Name an existing file with --settings, or omit the option.`,
        );
      await ConfigModule.forRoot({ envFilePath: file });
    } catch (error) {
      if (error instanceof CannotRun) throw error;
      throw new CannotRun(`${file} cannot be read. Check that it is a file and that this user may read it.`);
    }
}

/** Throws if the system does not say, for example because this user may not enter the folder. */
export function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
