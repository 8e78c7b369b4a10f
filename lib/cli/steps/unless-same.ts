import { isSameDestination } from '../destination.js';
import type { Check, Finding, Step, StepName } from '../step.js';

/** A step about the base URL. Where its connections lead to the same place as those of the token URL, it has been done. */
export function unlessSameAsTokenUrl(
  name: StepName,
  run: (check: Check) => Finding | Promise<Finding>,
): Step {
  return {
    name,
    run: (check) =>
      isSameDestination(check.destinations.baseUrl, check.destinations.tokenUrl)
        ? { status: 'skipped', detail: 'the API has the host and port of the token URL: already checked' }
        : run(check),
  };
}
