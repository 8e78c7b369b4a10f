/** One group of clients in one run of `requests.bench.mjs`, in its own process. Sends its rows to the parent process. */
import { GROUPS, requestClients } from './request-clients.mjs';
import { measureInTurns } from './rounds.mjs';

const plan = await new Promise((resolve) => process.once('message', resolve));
const { clients, close } = await requestClients(plan);
const wanted = Object.keys(clients).filter(isWanted);
const chosen = withBaselines(clients, wanted);
const measured = new Map();
for (const callers of plan.callers) {
  for (const { client, against, limit, ...figures } of await measureInTurns(chosen, { ...plan, callers })) {
    if (!wanted.includes(client)) continue;
    const row = measured.get(client) ?? { client, against, limit, at: [] };
    row.at.push({ callers, ...figures });
    measured.set(client, row);
  }
}
await close();
process.send({ rows: [...measured.values()] }, () => process.exit());

function isWanted(name) {
  return GROUPS[plan.group](name) && (plan.rows === undefined || plan.rows.includes(name));
}

/** The wanted clients, and those that they are compared with. */
function withBaselines(clients, wanted) {
  const measured = new Set(wanted.flatMap((name) => [clients[name].against, clients[name].limit, name]));
  return Object.fromEntries(Object.entries(clients).filter(([name]) => measured.has(name)));
}
