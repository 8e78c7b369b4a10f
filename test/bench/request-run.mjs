/** One run of `requests.bench.mjs`, in its own process. Sends its rows to the parent process. */
import { requestClients } from './request-clients.mjs';
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
  const chosen = withBaselines(clients, plan.rows);
  const measured = new Map();
  for (const callers of plan.callers) {
    for (const { client, against, ...figures } of await measureInTurns(chosen, { ...plan, callers })) {
      const row = measured.get(client) ?? { protocol, client, against, at: [] };
      row.at.push({ callers, ...figures });
      measured.set(client, row);
    }
  }
  rows.push(...measured.values());
  await close();
}
process.send({ rows }, () => process.exit());

/** The chosen clients, and those that they are compared with. */
function withBaselines(clients, names) {
  if (names === undefined) return clients;
  const wanted = new Set(names);
  for (const name of names) wanted.add(clients[name]?.against);
  return Object.fromEntries(Object.entries(clients).filter(([name]) => wanted.has(name)));
}
