// What the secrets of targets are sealed for.

export const WEBHOOK_ADDRESS = 'webhook-address'
export const WEBHOOK_SECRET = 'webhook-secret'
