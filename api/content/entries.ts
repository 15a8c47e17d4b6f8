// The pieces of content of a store.
export const entries = [] as const
