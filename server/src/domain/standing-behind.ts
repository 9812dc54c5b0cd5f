// Who stands behind a service account: its owner, and whoever has ever made one of its keys. What it reports counts as
// their own work, also if a chain of service accounts is in between.
export interface AccountHands {
  name: string
  /** Null if the organization owns it. */
  owner_name: string | null
  /** Names of people and of service accounts. */
  key_makers: readonly string[]
}

export interface Actor {
  name: string
  kind: 'user' | 'service_account' | 'ci_job' | 'anonymous'
}

/** Every name whose work counts as the actor's own: somebody stands behind both. The actor's name comes first. */
export function listNamesOfSameHands(actor: Actor, accounts: readonly AccountHands[]): string[] {
  const handsOf = new Map<string, string[]>()
  // Two accounts can have had the same name, one after the other.
  for (const { name, owner_name, key_makers } of accounts) {
    const known = handsOf.get(name) ?? []
    handsOf.set(name, [...known, ...(owner_name === null ? [] : [owner_name]), ...key_makers])
  }
  // A person has their own name only, even if a service account has it as well.
  const own = actor.kind === 'service_account' ? listEveryHand(actor.name, handsOf) : new Set([actor.name])
  const shared = [...new Set([...own, ...handsOf.keys()])].filter(name =>
    [...listEveryHand(name, handsOf)].some(hand => own.has(hand)),
  )
  return [...new Set([actor.name, ...shared])]
}

/** The name itself and all that stand behind it, through any number of accounts. */
function listEveryHand(name: string, handsOf: ReadonlyMap<string, readonly string[]>): Set<string> {
  const found = new Set([name])
  for (const each of found) for (const hand of handsOf.get(each) ?? []) found.add(hand)
  return found
}
