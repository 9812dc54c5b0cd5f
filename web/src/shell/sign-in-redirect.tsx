// Redirects to the sign-in page, once: a second navigation would cancel the first.
import { useEffect } from 'react'
import { buildSignInUrl } from '../api.ts'
import { readOwnPath } from '../base-path.ts'
import { Loading } from '../ui/states.tsx'

export function SignInRedirect() {
  useEffect(() => window.location.assign(buildSignInUrl(readOwnPath())), [])
  return <Loading />
}
