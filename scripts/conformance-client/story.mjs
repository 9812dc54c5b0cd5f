// The chapters in the order in which they are told.
import { accounts } from './story/accounts.mjs'
import { artifacts } from './story/artifacts.mjs'
import { attestations } from './story/attestations.mjs'
import { controls } from './story/controls.mjs'
import { environments } from './story/environments.mjs'
import { evaluation } from './story/evaluation.mjs'
import { first } from './story/first.mjs'
import { flows } from './story/flows.mjs'
import { policies } from './story/policies.mjs'
import { snapshots } from './story/snapshots.mjs'
import { tags } from './story/tags.mjs'
import { trails } from './story/trails.mjs'
import { types } from './story/types.mjs'

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
