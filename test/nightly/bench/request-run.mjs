/** One group of clients in one run of `requests.bench.mjs`, in its own process. Sends its rows to the parent process. */
import { GROUPS, requestClients } from './request-clients.mjs';
import { measureInTurns } from './rounds.mjs';

const plan = await new Promise((resolve) => process.once('message', resolve));
const rows = [];
for (const { protocol, ca, origin } of plan.servers) {
  const { dist, hasContenders } = plan;
  const { clients, close } = await requestClients({
    ca,
    origin,
    dist,
    hasContenders,
    allowH2: protocol === 'h2',
  });
  const wanted = Object.keys(clients).filter(isWanted);
  const chosen = withBaselines(clients, wanted);
  const measured = new Map();
  for (const callers of plan.callers) {
    for (const { client, against, limit, ...figures } of await measureInTurns(chosen, { ...plan, callers })) {
      if (!wanted.includes(client)) continue;
      const row = measured.get(client) ?? { protocol, client, against, limit, at: [] };
      row.at.push({ callers, ...figures });
      measured.set(client, row);
    }
  }
  rows.push(...measured.values());
  await close();
}
process.send({ rows }, () => process.exit());

function isWanted(name) {
  return GROUPS[plan.group](name) && (plan.rows === undefined || plan.rows.includes(name));
}

/** The wanted clients, and those that they are compared with. */
function withBaselines(clients, wanted) {
  const measured = new Set(wanted.flatMap((name) => [clients[name].against, clients[name].limit, name]));
  return Object.fromEntries(Object.entries(clients).filter(([name]) => measured.has(name)));
}
