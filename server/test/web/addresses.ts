// Where the journeys go: every form of address that the API hands out for people, asked of the API itself, and the pages
// that only the navigation leads to. Each with the heading that says it is the right page.
import type { Service } from '../service.ts'

export interface Address {
  what: string
  path: string
  heading: RegExp
}

const ORG = 'harbour-bank'

export async function addressesOfTheApi(service: Service): Promise<Address[]> {
  // biome-ignore lint/suspicious/noExplicitAny: looks into bodies of every shape
  const read = async (path: string): Promise<any> =>
    JSON.parse((await service.call('GET', `/api/v2/${path}`, { key: service.key })).text)
  const environment = await read(`environments/${ORG}/production`)
  const snapshot = await read(`snapshots/${ORG}/production/-1`)
  const artifact = snapshot.artifacts.find(({ name }: { name: string }) => name.includes('payments-api'))
  const [trail] = (await read(`trails/${ORG}?flow=payments-api&page=1&per_page=1`)).data
  const [decision] = (await read(`controls/${ORG}/REL-01/decisions?per_page=1`)).decisions
  const policy = await read(`policies/${ORG}/live-rules`)
  const control = await read(`controls/${ORG}/REL-01`)
  return [
    { what: 'environment', path: environment.html_url, heading: /^production/ },
    { what: 'snapshot', path: snapshot.html_url, heading: /production/ },
    { what: 'flow', path: artifact.flow_html_url, heading: /payments-api/ },
    { what: 'trail', path: trail.html_url, heading: new RegExp(trail.name) },
    { what: 'artifact', path: artifact.html_url, heading: /payments-api/ },
    { what: 'attestation', path: decision.html_url, heading: /release-2/ },
    { what: 'policy', path: policy.html_url, heading: /live-rules/ },
    { what: 'control', path: control.html_url, heading: /REL-01|A release is decided on/ },
  ]
}

export const PAGES_OF_THE_NAVIGATION: readonly Address[] = [
  { what: 'overview', path: `/${ORG}`, heading: /harbour-bank|Overview/ },
  { what: 'environments', path: `/${ORG}/environments`, heading: /^Environments$/ },
  { what: 'members', path: `/${ORG}/settings/members`, heading: /^Members$/ },
  { what: 'membership log', path: `/${ORG}/settings/members/audit-log?sort_by=user`, heading: /log$/ },
  { what: 'events', path: `/${ORG}/settings/audit-events`, heading: /events$/ },
  { what: 'search', path: `/${ORG}/search?q=payments`, heading: /^Search$/ },
]
