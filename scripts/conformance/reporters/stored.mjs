// Reads what the service has stored of a report.
import { ORG } from '../../run/service.mjs'

export async function callService({ url, key }, method, path, body) {
  const response = await fetch(`${url}/api/v2${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
  return response.json()
}

/** The artifacts that run now, each formatted by `describe`. A snapshot also lists instances that just stopped. */
export async function listRunning(service, environment, describe) {
  const { artifacts } = await callService(service, 'GET', `/snapshots/${ORG}/${environment}/-1`)
  return artifacts
    .filter(({ annotation }) => annotation.now > 0)
    .map(describe)
    .sort()
}
