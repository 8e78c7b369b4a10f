/** The command could not do its work, for a reason outside of what it checks: exit code 2. */
export class CannotRun extends Error {}
