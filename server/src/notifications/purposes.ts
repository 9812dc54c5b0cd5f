// The purposes for which secrets of targets are sealed.

export const WEBHOOK_ADDRESS = 'webhook-address'
export const WEBHOOK_SECRET = 'webhook-secret'
