// The public interface of the package.
export {
  ENTERPRISE_SCHEMA,
  GROUP,
  GROUP_SCHEMA,
  type ResourceType,
  USER,
  USER_SCHEMA,
} from './attributes.ts'
export type { ServiceDescription } from './discovery.ts'
export { parseFilter } from './filter.ts'
export { type Listing, type ListQuery, listResources } from './list.ts'
export { matches } from './match.ts'
export { applyPatch } from './patch.ts'
export {
  invalidSyntax,
  invalidValue,
  noSuchResource,
  notUnique,
  renderProblem,
  ScimProblem,
  type ScimType,
} from './problems.ts'
export { applyProjection, isRequested, type Projection } from './projection.ts'
export {
  type Answer,
  buildRoutes,
  type Message,
  type Resources,
  type Route,
  SCIM_MEDIA_TYPE,
} from './routes.ts'
export { isValues, parseResource, type Values } from './values.ts'
