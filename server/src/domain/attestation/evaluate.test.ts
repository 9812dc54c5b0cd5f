// Every case of cases/*.yaml: a payload, and the verdict it is given.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { type AttestationPayload, type AttestationVerdict, evaluateAttestation } from './evaluate.ts'

type Case = { case: string; payload: AttestationPayload } & AttestationVerdict

const folder = join(import.meta.dirname, 'cases')
const files = readdirSync(folder).filter(file => file.endsWith('.yaml'))
const readCases = (file: string): Case[] => parse(readFileSync(join(folder, file), 'utf8'))

describe.each(files)('%s', file => {
  it.each(readCases(file))('$case', ({ payload, is_compliant, expected, found }) => {
    expect(evaluateAttestation(payload)).toEqual({ is_compliant, expected, found })
  })

  it('shows both verdicts and is about one type', () => {
    const cases = readCases(file)
    // An SBOM is recorded, not evaluated.
    expect(new Set(cases.map(({ is_compliant }) => is_compliant)).size).toBe(file === 'sbom.yaml' ? 1 : 2)
    expect(new Set(cases.map(({ payload }) => `${payload.type}.yaml`))).toEqual(new Set([file]))
  })
})

it('has cases for every built-in type', () => {
  const types = ['decision', 'generic', 'jira', 'junit', 'override', 'pull_request', 'sbom', 'snyk', 'sonar']
  expect(files.sort()).toEqual(types.map(type => `${type}.yaml`))
})
