// The small model of "who may do what after which departure": people, the service accounts and SCIM tokens that they
// made, and time. Pure, and written from the promises in docs/spec/access.md, not from the code.

export const RANKED = ['reader', 'snapshotter', 'member', 'admin'] as const
export type Rank = (typeof RANKED)[number]

const GRACE_DAYS = 7

interface Account {
  /** Undefined for the organization. */
  owner: number | undefined
  rank: Rank
  /** The day on which the keys stop because the owner left. */
  stops_on: number | undefined
  keys: { expires_on: number | undefined }[]
}

interface Token {
  /** A person, or an account. */
  by: { person: number } | { account: number } | 'the organization'
}

export interface World {
  day: number
  /** The roles of people by number; undefined for who is no member. */
  people: (Rank | undefined)[]
  accounts: Account[]
  tokens: Token[]
}

const rankOf = (rank: Rank) => RANKED.indexOf(rank)
const lesser = (one: Rank, other: Rank): Rank => (rankOf(one) < rankOf(other) ? one : other)

/** The role of a person; undefined if they have none. */
export const roleOfPerson = (world: World, person: number): Rank | undefined => world.people[person]

/** The role with which an account acts. */
function roleOfAccount(world: World, number: number): Rank | undefined {
  const account = world.accounts[number]
  if (!account) return undefined
  if (account.owner === undefined) return account.rank
  const present = world.people[account.owner]
  const most = present === undefined ? account.rank : lesser(account.rank, present)
  return account.stops_on === undefined ? most : lesser(most, 'member')
}

/** What a key of an account gives; undefined if it no longer works. */
export function roleOfKey(world: World, number: number, key: number): Rank | undefined {
  const account = world.accounts[number]
  const ends = [account?.stops_on, account?.keys[key]?.expires_on].filter(day => day !== undefined)
  return ends.some(day => day <= world.day) ? undefined : roleOfAccount(world, number)
}

export function doesTokenWork(world: World, number: number): boolean {
  const by = world.tokens[number]?.by
  if (by === undefined) return false
  if (by === 'the organization') return true
  return ('person' in by ? roleOfPerson(world, by.person) : roleOfAccount(world, by.account)) === 'admin'
}

/** Whether the person may create keys for the account. */
export function mayMint(world: World, person: number, number: number): boolean {
  const role = world.people[person]
  const account = world.accounts[number]
  if (role === undefined || !account) return false
  if (role === 'admin') return true
  return (
    account.owner === person && rankOf(role) >= rankOf('snapshotter') && rankOf(role) >= rankOf(account.rank)
  )
}

/** A person leaves: the keys of their accounts are going to stop. */
export function leave(world: World, person: number): void {
  world.people[person] = undefined
  for (const account of world.accounts) {
    if (account.owner === person) account.stops_on ??= world.day + GRACE_DAYS
  }
}
