// The people of the demo in acme, without its history: for tests that change what they show, and that need only little of it.
import { insertSession } from '../browser.ts'
import { addCleanUp } from '../clean-ups.ts'
import type { TestApp, TestOptions, TestResponse } from '../harness.ts'
import { addPerson } from '../people.ts'
import { launchOnce, makeWindows, type Windows } from './browser.ts'
import { listenAt, startWebApp } from './open-app.ts'

export const ORG = 'acme'
const PEOPLE = {
  mara: 'admin',
  jonas: 'member',
  priya: 'member',
  teo: 'member',
  ines: 'reader',
  odile: 'auditor',
}

export interface Company extends Windows {
  app: TestApp
  url: string
}

export async function openCompany(options: TestOptions = {}): Promise<Company> {
  const app = await startWebApp(options)
  addCleanUp(() => app.stop())
  const url = `http://127.0.0.1:${await listenAt(app, 0)}`
  for (const [name, role] of Object.entries(PEOPLE)) await addPerson(app, name, role)
  const enterAs = (person: string) => insertSession(app, person)
  return { app, url, ...makeWindows(await launchOnce(), url, `/${ORG}/search`, enterAs) }
}

/** Returns the body of an API call, which must succeed. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
export function must({ status, text, body }: TestResponse): any {
  if (status >= 300) throw new Error(`${status} ${text}`)
  return body
}
