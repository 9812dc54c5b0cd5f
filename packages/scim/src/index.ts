// The public interface of the package.
export {
  ENTERPRISE_SCHEMA,
  GROUP,
  GROUP_SCHEMA,
  USER,
  USER_SCHEMA,
} from './attributes.ts'
export { type Listing, type ListQuery, listResources } from './list.ts'
export { applyPatch } from './patch.ts'
export {
  invalidValue,
  noSuchResource,
  notUnique,
  renderProblem,
  ScimProblem,
  type ScimType,
} from './problems.ts'
export { applyProjection, isRequested, type Projection } from './projection.ts'
export {
  buildRoutes,
  type Resources,
  SCIM_MEDIA_TYPE,
} from './routes.ts'
export { isValues, parseResource, type Values } from './values.ts'
