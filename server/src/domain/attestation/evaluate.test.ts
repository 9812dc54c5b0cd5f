// Every case of cases/*.yaml: a payload and its expected verdict.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import type { AttestationVerdict } from './define-type.ts'
import { evaluateOverride, OVERRIDE_TYPE } from './override.ts'
import { ATTESTATION_TYPES, findType } from './types.ts'

type Case = { case: string; payload: { type: string; new_compliance_status: boolean } } & AttestationVerdict

const folder = join(import.meta.dirname, 'cases')
const files = readdirSync(folder).filter(file => file.endsWith('.yaml'))
const readCases = (file: string): Case[] => parse(readFileSync(join(folder, file), 'utf8'))

const evaluate = (payload: Case['payload']) =>
  payload.type === OVERRIDE_TYPE
    ? evaluateOverride(payload.new_compliance_status)
    : findType(payload.type)?.evaluate(payload)

describe.each(files)('%s', file => {
  it.each(readCases(file))('$case', ({ payload, is_compliant, expected, found }) => {
    expect(evaluate(payload)).toEqual({ is_compliant, expected, found })
  })

  it('shows both verdicts and is about one type', () => {
    const cases = readCases(file)
    expect(new Set(cases.map(({ is_compliant }) => is_compliant)).size).toBe(2)
    expect(new Set(cases.map(({ payload }) => `${payload.type}.yaml`))).toEqual(new Set([file]))
  })
})

it('has cases for every built-in type', () => {
  const types = [...ATTESTATION_TYPES.map(({ name }) => name), OVERRIDE_TYPE]
  expect(files.sort()).toEqual(types.map(type => `${type}.yaml`).sort())
})
