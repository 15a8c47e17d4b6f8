// What was told to whom, and how it went.
export const deliveries = [] as const
