// The part of roles.ts about controls, written by hand.

export const ROLES_FOR_CONTROLS = {
  'POST /controls/{org}': 'admin',
  'GET /controls/{org}': 'reader',
  'GET /controls/{org}/tags': 'reader',
  'GET /controls/{org}/{identifier}': 'reader',
  'PUT /controls/{org}/{identifier}': 'admin',
  'POST /controls/{org}/{identifier}/archive': 'admin',
  'POST /controls/{org}/{identifier}/unarchive': 'admin',
  'GET /controls/{org}/{identifier}/versions': 'reader',
  'GET /controls/{org}/{identifier}/versions/{version}': 'reader',
  'GET /controls/{org}/{identifier}/decisions': 'reader',
  'GET /controls/{org}/{identifier}/decisions/{decision_id}': 'reader',
  'GET /controls/{org}/{identifier}/audit_package': 'reader',
  'GET /controls/{org}/{identifier}/coverage': 'reader',
  'GET /control-coverage/{org}': 'reader',
  'GET /control-states/{org}': 'reader',
  'GET /controls/{org}/{identifier}/environments/{env_name}': 'reader',
  'GET /controls/{org}/{identifier}/environments/{env_name}/history': 'reader',
  'POST /control-catalogue/{org}': 'admin',
  'GET /control-catalogue/{org}': 'reader',
  'GET /control-assessment-results/{org}': 'reader',
} as const satisfies Record<string, 'reader' | 'admin'>
