// Decides whether people may change their own mail address, and which addresses they may choose.

/** The source of an address that the person cannot change here. */
export type AddressManager = 'single_sign_on' | 'directory'

export interface OwnAddress {
  email: string | null
  /** Whether the person has signed in through an identity provider. */
  has_identity: boolean
  /** Whether the person proved the address with a link that they requested. */
  is_proved: boolean
  /** Whether an organization of the person has proved the domain of the address. */
  is_in_directory: boolean
}

/** Null if the person may change it. An address of their own choice stays theirs, unless a directory finds them by it. */
export function findAddressManager(address: OwnAddress): AddressManager | null {
  if (address.email === null) return null
  if (address.is_in_directory) return 'directory'
  return address.has_identity && !address.is_proved ? 'single_sign_on' : null
}

const HOW_MANAGED: Record<AddressManager, string> = {
  single_sign_on: 'Your address comes with single sign-on: change it at your identity provider',
  directory: 'Your address is in a mail domain of your organization: ask its administrators to change it',
}

export const explainManager = (manager: AddressManager): string => HOW_MANAGED[manager]

/** Whether the address is in a domain whose people sign in through an identity provider of this installation. */
export function isProviderDomain(mail_domains: readonly string[], email: string): boolean {
  return mail_domains.includes(email.slice(email.lastIndexOf('@') + 1).toLowerCase())
}
