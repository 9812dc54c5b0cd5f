// Makes a service record events by creating flows: one event per flow.
import { ORG } from '../../run/service.mjs'

export async function createFlows(service, from, to) {
  for (let i = from; i < to; i++) {
    const response = await fetch(`${service.url}/api/v2/flows/${ORG}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: `flow-${i}`, description: '' }),
    })
    if (!response.ok) throw new Error(`The flow could not be created: ${response.status}`)
  }
}
