// What kinds of content a store has.
export const collections = [] as const
