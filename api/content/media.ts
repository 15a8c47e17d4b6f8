// The files of a store.
export const media = [] as const
