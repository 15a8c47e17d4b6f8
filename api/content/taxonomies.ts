// How a store sorts what it has.
export const taxonomies = [] as const
