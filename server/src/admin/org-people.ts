// Finds or creates the people of an imported org. People belong to a cell: the same person may have another id and
// another name here. They are recognized by id, by an identity (issuer and subject), or by mail address.
import type { Db } from '../db/database.ts'
import { findFreeName } from '../signin/people-store.ts'
import { AdminProblem } from './actor.ts'
import { findMatches, insertPerson, type Match } from './org-people-store.ts'
import type { Person } from './org-transfer.ts'

const MAX_NAMES_TRIED = 50

export interface FoundPerson {
  /** The id in the cell that exported the org. */
  id_there: string
  id_here: string
  is_new: boolean
}

export async function findOrCreatePeople(
  tx: Db,
  people: readonly Person[],
  now: Date,
): Promise<FoundPerson[]> {
  const found: FoundPerson[] = []
  for (const person of people) {
    const match = choose(person, await findMatches(tx, person))
    if (!match) await createPerson(tx, person, now)
    const id_here = match?.user_id ?? person.user_id
    if (found.some(other => other.id_here === id_here)) {
      throw new AdminProblem(`Two people of the export are the same user ${match?.name} here`)
    }
    found.push({ id_there: person.user_id, id_here, is_new: !match })
  }
  return found
}

/** Like `findOrCreatePeople`, but every person must exist. */
export async function findPeople(tx: Db, people: readonly Person[]): Promise<FoundPerson[]> {
  const found: FoundPerson[] = []
  for (const person of people) {
    const match = choose(person, await findMatches(tx, person))
    if (!match) throw new AdminProblem(`There is no user here for ${person.name} of the export`)
    found.push({ id_there: person.user_id, id_here: match.user_id, is_new: false })
  }
  return found
}

/** The id proves most: this person was imported before. A mail address proves least. */
function choose({ name, email }: Person, matches: readonly Match[]): Match | undefined {
  const byId = matches.find(({ is_same_id }) => is_same_id)
  const byIdentity = matches.filter(({ is_same_identity }) => is_same_identity)
  if (byId) return byId
  if (byIdentity.length > 1) throw new AdminProblem(`${name} of the export is several users here`)
  if (byIdentity[0]) return byIdentity[0]
  const [byAddress] = matches
  if (byAddress?.is_other_subject) {
    throw new AdminProblem(
      `The address ${email} of ${name} belongs to ${byAddress.name} here, who is somebody else at the same ` +
        'identity provider; correct one of the two addresses',
    )
  }
  return byAddress
}

async function createPerson(tx: Db, person: Person, now: Date): Promise<void> {
  const numbered = Array.from({ length: MAX_NAMES_TRIED - 1 }, (_, i) => `${person.name}-${i + 2}`)
  const name = await findFreeName(tx, [person.name, ...numbered])
  if (name === undefined)
    throw new AdminProblem(`The names ${person.name} and ${numbered[0]} to -50 are taken`)
  await insertPerson(tx, { ...person, name, now })
}
