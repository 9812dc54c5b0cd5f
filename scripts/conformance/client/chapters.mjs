// The chapters in the order in which they run.
import { accounts } from './chapters/accounts.mjs'
import { artifacts } from './chapters/artifacts.mjs'
import { attestations } from './chapters/attestations.mjs'
import { controls } from './chapters/controls.mjs'
import { environments } from './chapters/environments.mjs'
import { evaluation } from './chapters/evaluation.mjs'
import { first } from './chapters/first.mjs'
import { flows } from './chapters/flows.mjs'
import { policies } from './chapters/policies.mjs'
import { snapshots } from './chapters/snapshots.mjs'
import { tags } from './chapters/tags.mjs'
import { trails } from './chapters/trails.mjs'
import { types } from './chapters/types.mjs'

export const chapters = [
  first,
  flows,
  types,
  trails,
  artifacts,
  attestations,
  environments,
  snapshots,
  policies,
  tags,
  evaluation,
  accounts,
  controls,
]
