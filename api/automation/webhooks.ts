// Webhooks: who hears of what.
export const webhooks = [] as const
