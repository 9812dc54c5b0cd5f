// The compiled policies of an application. A policy version never changes, so entries never go stale.
import { type CompiledPolicy, compilePolicy } from '../domain/policy/evaluate.ts'
import type { AttachedPolicy } from './rules-store.ts'

const MAX_COMPILED = 500

export interface CompiledPolicies {
  /** Throws if the stored policy cannot be compiled. */
  get(policy: AttachedPolicy): CompiledPolicy
}

export function makeCompiledPolicies(): CompiledPolicies {
  const compiled = new Map<string, CompiledPolicy>()
  return {
    get: ({ policy_id, version, parsed }) => {
      const key = `${policy_id} ${version}`
      const ready = compiled.get(key) ?? compilePolicy(parsed)
      if (compiled.size >= MAX_COMPILED) compiled.clear()
      compiled.set(key, ready)
      return ready
    },
  }
}
