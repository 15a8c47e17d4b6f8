// What a store asks.
export const forms = [] as const
